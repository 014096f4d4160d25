#!/usr/bin/env python3
#===- test/Install/installed.py - The installed tree and the Debian package, as others use them ---===#
# SPDX-License-Identifier: Apache-2.0
"""installed.py Runtime|Compiler|Debian: installs what is built, works with it outside of the tree, moves it, and works with it again."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["CUPOLA_BUILD"])
COMPILER = os.environ["CUPOLA_COMPILER"] == "ON"
SIMULATOR = os.environ["CUPOLA_SIMULATOR"] == "1"
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "docs/examples"
SHARE, SETTINGS = "share/doc/cupola", "lib/cmake/Cupola"
FILES = {  # of each component
    "runtime": {"bin/cupola-run", *(f"include/cupola/{name}.{end}" for name in ("Runtime/Reports", "Status") for end in ("h", "hpp")),
                f"{SHARE}/copyright",
                f"{SETTINGS}/CupolaConfig.cmake", f"{SETTINGS}/CupolaConfigVersion.cmake"} | ({"lib/libcupola_sim.so"} if SIMULATOR else set()),
    "compiler": {"bin/cupola", "share/man/man1/cupola.1"},
}
for name, files in FILES.items():
    files |= {f"lib/libcupola_{name}.so", f"lib/libcupola_{name}.so.0", f"lib/pkgconfig/cupola-{name}.pc"}
    files |= {f"include/cupola/{name.title()}/{name.title()}{end}" for end in (".h", ".hpp")}
    files |= {f"{SETTINGS}/Cupola-{name}{end}.cmake" for end in ("", "-release")}
PACKAGE_OUTPUT = "2 8 14 20 2 8 14 20"                 # 2 * (1 + 3 * [0, 1, 2, 3]), two rows
MODEL_OUTPUT = "2.25 2.75 3.25 2.25 2.75 3.25"         # sums of the weight's columns


def call(*command, **options):
    """What the command writes; an error has all of it."""
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        raise AssertionError(f"{shlex.join(map(str, command))} ends with {done.returncode}:\n{done.stdout}")
    return done.stdout.strip()


def files_in(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def dynamic(file, tag):
    lines = call("readelf", "-d", file).splitlines()
    return [line[line.index("[") + 1:line.rindex("]")] for line in lines if f"({tag})" in line]


class Scratch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp(prefix="cupola-install-"))
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        os.environ.pop("LD_LIBRARY_PATH", None)
        cls.package, cls.model = cls.scratch / "test.cupola", cls.scratch / "test.onnx"
        call(os.environ["CUPOLA_INSTALL_INPUTS"], cls.package, cls.model)

    def check_tools(self, bin):
        """The installed command line, on every device that needs no GPU."""
        for device in ["cpu"] + ["sim"] * SIMULATOR:
            call(bin / "cupola-run", self.package, "--device", device, "--shape", "s0=2")
        if (bin / "cupola").exists():
            call(bin / "cupola", "compile", self.model, "-o", self.scratch / "tool.cupola", "--target", "cpu")
            call(bin / "cupola-run", self.scratch / "tool.cupola", "--device", "cpu")


class Prefix:
    """An installation of some components."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prefix = cls.scratch / "prefix"
        call("cmake", "--install", BUILD, "--prefix", cls.prefix, *cls.only)

    def build(self, name):
        """The examples by CMake: the folder of the programs."""
        folder = self.scratch / name
        call("cmake", "-S", EXAMPLES, "-B", folder, f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror")
        call("cmake", "--build", folder)
        return folder

    def build_by_pkg_config(self):
        folder = self.scratch / "pkg-config"
        folder.mkdir()
        os.environ["PKG_CONFIG_PATH"] = str(self.prefix / "lib/pkgconfig")
        for compiler, source, program, component in [("cc", "run.c", "run", "runtime"), ("c++", "run.cpp", "run++", "runtime"),
                                                     ("cc", "compile.c", "compile", "compiler")]:
            if component in self.components:
                flags = shlex.split(call("pkg-config", "--cflags", "--libs", f"cupola-{component}"))
                call(compiler, EXAMPLES / source, "-o", folder / program, *flags, f"-Wl,-rpath,{self.prefix}/lib")
        return folder

    def check_examples(self, folder):
        for program in ("run", "run++"):
            for device in ["cpu"] + ["sim"] * SIMULATOR:
                self.assertEqual(call(folder / program, self.package, device, 2), PACKAGE_OUTPUT)
        if "compiler" in self.components:
            compiled = folder / "compiled.cupola"
            call(folder / "compile", self.model, compiled)
            self.assertEqual(call(folder / "run", compiled, "cpu", 1), MODEL_OUTPUT)

    def test_what_is_installed(self):
        self.assertEqual(files_in(self.prefix), set().union(*(FILES[name] for name in self.components)))
        for name in self.components:
            self.assertEqual(dynamic(self.prefix / f"lib/libcupola_{name}.so", "SONAME"), [f"libcupola_{name}.so.0"])
        for file in [*self.prefix.glob("lib/*.so"), *self.prefix.glob("bin/*")]:
            self.assertNotIn(str(BUILD.parent), dynamic(file, "RUNPATH")[0])
        for file in [*self.prefix.glob("lib/cmake/**/*.cmake"), *self.prefix.glob("lib/pkgconfig/*")]:
            for folder in BUILD.parent, self.prefix:
                self.assertNotIn(str(folder), file.read_text())

    def test_headers_stand_alone(self):
        for header in sorted((self.prefix / "include").rglob("*.h*")):
            for language, standard in [("c", "c11")] * (header.suffix == ".h") + [("c++", "c++17")]:
                call("c++", "-x", language, f"-std={standard}", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                     f"-I{self.prefix}/include", "-include", header, os.devnull)

    def test_works_here_and_where_it_is_moved(self):
        self.check_examples(self.build("here"))
        moved = self.scratch / "some/where/else"
        moved.parent.mkdir(parents=True)
        type(self).prefix = self.prefix.rename(moved)
        self.check_examples(self.build("there"))
        self.check_examples(self.build_by_pkg_config())
        self.check_tools(self.prefix / "bin")


class Runtime(Prefix, Scratch):
    components, only = ["runtime"], ["--component", "runtime"]

    def test_a_missing_component_is_named(self):
        (self.scratch / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES NONE)\n"
                                                     "find_package(Cupola CONFIG REQUIRED COMPONENTS runtime compiler)\n")
        with self.assertRaisesRegex(AssertionError, "has no component\\s+'compiler'"):
            call("cmake", "-S", self.scratch, "-B", self.scratch / "refused", f"-DCMAKE_PREFIX_PATH={self.prefix}")


class Compiler(Prefix, Scratch):
    components, only = ["runtime", "compiler"], []

    def test_what_the_docs_show_is_compiled(self):
        shown = re.search("```c\n(.*?)```", (EXAMPLES.parent / "embedding.md").read_text(), re.DOTALL)[1]
        self.assertIn(shown, (EXAMPLES / "compile.c").read_text())


class Debian(Scratch):
    def test_package(self):
        made = self.scratch / "deb"
        call("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", made, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none")
        [deb] = made.glob("*.deb")
        root = self.scratch / "root"
        call("dpkg-deb", "-x", deb, root)
        expected = FILES["runtime"] | (FILES["compiler"] if COMPILER else set())
        licences = {file for file in files_in(root / "usr") if file.startswith(f"{SHARE}/licenses/")}    # of a static build
        self.assertEqual(files_in(root), {f"usr/{file}" for file in expected | licences})
        depends = call("dpkg-deb", "-f", deb, "Depends")
        for package in ["libc6", "libstdc++6"] + ["libmlir-22"] * (COMPILER and not licences):
            self.assertRegex(depends, rf"(^|, ){package.replace('+', '[+]')}( |,|$)")
        self.assertNotIn("cupola", depends)
        self.assertEqual(call("dpkg-deb", "-f", deb, "Package"), "cupola")
        self.check_tools(root / "usr/bin")


if __name__ == "__main__":
    unittest.main()
