"""Hostile archives and folders: refused whole, nothing is written anywhere."""

from __future__ import annotations

import io
import os
import stat
import tarfile
import zipfile

import pytest

from grader.errors import CallerError
from grader.intake import MOST_FILE, collect

UNIT = "exercises/01_first"
UNITS = [UNIT, "chapters/01_first"]


def one(folder):
    (submission,) = collect(folder, UNITS)
    return submission


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("exercises/01_first/kernel.cu", UNIT),
        ("chapters/01_first/kernel.cu", "chapters/01_first"),
        ("01_first/kernel.cu", UNIT),
        ("hand-in/01_first/kernel.cu", UNIT),
        ("hand-in/chapters/01_first/kernel.cu", "chapters/01_first"),
    ],
)
@pytest.mark.parametrize("how", ["folder", "zip", "tar.gz"])
def test_every_way_to_hand_in(tmp_path, path, unit, how):
    if how == "folder":
        place = tmp_path / "ada" / path
        place.parent.mkdir(parents=True)
        place.write_text("x")
    elif how == "zip":
        with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
            archive.writestr(path, "x")
    else:
        tar(tmp_path, {path: b"x"})

    found = one(tmp_path)

    assert (found.student, found.kernels, found.problem) == ("ada", {unit: "x"}, "")


def tar(folder, files=(), members=()):
    with tarfile.open(folder / "ada.tar.gz", "w:gz") as archive:
        for name, data in dict(files).items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for member in members:
            archive.addfile(member)


def member(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


GOOD = {f"{UNIT}/kernel.cu": b"x"}


@pytest.mark.parametrize(
    "name", ["../x", "/etc/x", "a/../../x", "a\\..\\x", "C:/x", "a\x01b"]
)
@pytest.mark.parametrize("how", ["zip", "tar.gz"])
def test_a_name_that_leads_out_refuses_the_archive(tmp_path, name, how):
    if how == "zip":
        with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
            archive.writestr(f"{UNIT}/kernel.cu", "x")
            archive.writestr(name, "x")
    else:
        tar(tmp_path, {**GOOD, name: b"x"})

    found = one(tmp_path)

    assert not found.kernels and "leads out" in found.problem


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE]
)
def test_a_tar_with_links_or_devices_is_refused(tmp_path, kind):
    tar(tmp_path, GOOD, [member("x", kind, "/etc/passwd")])
    assert "link or a special" in one(tmp_path).problem


def test_a_zip_with_a_link_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
        info = zipfile.ZipInfo(f"{UNIT}/kernel.cu")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    assert "link or a special" in one(tmp_path).problem


def test_names_that_differ_in_case_only_are_refused(tmp_path):
    tar(tmp_path, {**GOOD, f"{UNIT}/Kernel.cu": b"y"})
    assert "one name twice" in one(tmp_path).problem


def test_two_kernels_for_one_unit_are_refused(tmp_path):
    tar(tmp_path, {**GOOD, "01_first/kernel.cu": b"y"})
    assert "twice" in one(tmp_path).problem


@pytest.mark.parametrize("how", ["zip", "tar.gz"])
def test_a_bomb_is_refused(tmp_path, how):
    bomb = bytes(70 << 20)
    if how == "zip":
        with zipfile.ZipFile(
            tmp_path / "ada.zip", "w", zipfile.ZIP_DEFLATED
        ) as archive:
            archive.writestr("x", bomb)
    else:
        tar(tmp_path, {"x": bomb})
    assert "too large" in one(tmp_path).problem


def test_a_million_members_are_refused(tmp_path):
    tar(tmp_path, {f"f{n}": b"" for n in range(5002)})
    assert "more than" in one(tmp_path).problem


def test_a_huge_kernel_is_refused(tmp_path):
    tar(tmp_path, {f"{UNIT}/kernel.cu": bytes(MOST_FILE + 1)})
    assert "larger than 1 MiB" in one(tmp_path).problem


@pytest.mark.parametrize("name", ["ada.zip", "ada.tar.gz"])
@pytest.mark.parametrize("data", [b"", b"PK\x03\x04garbage", b"\x1f\x8b\x08garbage"])
def test_a_broken_archive_stops_no_other(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    good = tmp_path / "bea" / UNIT
    good.mkdir(parents=True)
    (good / "kernel.cu").write_text("x")

    ada, bea = collect(tmp_path, UNITS)

    assert ada.problem and not ada.kernels
    assert bea.kernels


def test_links_in_a_folder_are_not_followed(tmp_path):
    place = tmp_path / "ada" / UNIT
    place.mkdir(parents=True)
    (place / "kernel.cu").symlink_to("/etc/passwd")
    (tmp_path / "bea").symlink_to("/etc")

    ada, bea = collect(tmp_path, UNITS)

    assert "cannot be read" in ada.problem and not ada.kernels
    assert "link" in bea.problem


def test_a_fifo_does_not_block(tmp_path):
    place = tmp_path / "ada" / UNIT
    place.mkdir(parents=True)
    os.mkfifo(place / "kernel.cu")

    assert one(tmp_path).problem


def test_a_folder_and_an_archive_of_one_name_are_refused(tmp_path):
    tar(tmp_path, GOOD)
    (tmp_path / "ada").mkdir()
    assert "two submissions" in one(tmp_path).problem


@pytest.mark.parametrize(
    "make", [lambda p: None, lambda p: p.write_text(""), lambda p: p.mkdir()]
)
def test_no_folder_or_an_empty_one_is_the_callers(tmp_path, make):
    make(tmp_path / "subs")
    with pytest.raises(CallerError):
        collect(tmp_path / "subs", UNITS)
