//! Finds the library tern_c: in the folder that TERN_LIB_DIR names; else by pkg-config, which
//! finds an installed tern; else where the linker looks by itself.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=TERN_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    if let Ok(folder) = std::env::var("TERN_LIB_DIR") {
        println!("cargo:rustc-link-search=native={folder}");
        println!("cargo:rustc-link-lib=dylib=tern_c");
        return;
    }
    // An installed tern_c lies beside the libraries that pkg-config knows.
    if let Some(folder) = installed_folder() {
        println!("cargo:rustc-link-search=native={folder}");
    }
    println!("cargo:rustc-link-lib=dylib=tern_c");
}

fn installed_folder() -> Option<String> {
    let asked = Command::new("pkg-config").args(["--variable=libdir", "tern"]).output().ok()?;
    let folder = String::from_utf8(asked.stdout).ok()?.trim().to_string();
    (asked.status.success() && !folder.is_empty()).then_some(folder)
}
