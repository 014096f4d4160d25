#===- python/cupola/decompositions.py - Kernels of torch that ONNX has no op for ---===#
# SPDX-License-Identifier: Apache-2.0
"""In terms of others, for the export of dynamo.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch.nn import functional as F

Tensor: TypeAlias = torch.Tensor


def _encoder_layer(src: Tensor, embed_dim: int, num_heads: int, qkv_weight: Tensor, qkv_bias: Tensor, proj_weight: Tensor,
                   proj_bias: Tensor, use_gelu: bool, norm_first: bool, eps: float, norm_weight_1: Tensor, norm_bias_1: Tensor,
                   norm_weight_2: Tensor, norm_bias_2: Tensor, ffn_weight_1: Tensor, ffn_bias_1: Tensor, ffn_weight_2: Tensor,
                   ffn_bias_2: Tensor, mask: Tensor | None = None, mask_type: int | None = None) -> Tensor:
    """What torch.nn.TransformerEncoderLayer calls without gradients. `mask` is true where nothing is read: per query and key (type 0),
    per key of each sequence (1), or of all four dimensions (2)."""

    def attend(x: Tensor) -> Tensor:
        heads = F.linear(x, qkv_weight, qkv_bias).reshape(x.shape[0], x.shape[1], 3, num_heads, embed_dim // num_heads)
        q, k, v = heads.permute(2, 0, 3, 1, 4).unbind(0)
        read = None if mask is None else torch.logical_not(mask[:, None, None, :] if mask_type == 1 else mask)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=read)
        return F.linear(y.transpose(1, 2).reshape(x.shape), proj_weight, proj_bias)

    def feed(x: Tensor) -> Tensor:
        hidden = F.linear(x, ffn_weight_1, ffn_bias_1)
        return F.linear(F.gelu(hidden) if use_gelu else F.relu(hidden), ffn_weight_2, ffn_bias_2)

    def norm_1(x: Tensor) -> Tensor:
        return F.layer_norm(x, (embed_dim,), norm_weight_1, norm_bias_1, eps)

    def norm_2(x: Tensor) -> Tensor:
        return F.layer_norm(x, (embed_dim,), norm_weight_2, norm_bias_2, eps)

    if norm_first:
        src = src + attend(norm_1(src))
        return src + feed(norm_2(src))
    src = norm_1(src + attend(src))
    return norm_2(src + feed(src))


TABLE: dict[Any, Callable[..., Any]] = {torch.ops.aten._transformer_encoder_layer_fwd.default: _encoder_layer}
