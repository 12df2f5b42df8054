//! The system's compiler for embedded C: the only place that starts other programs, and only where `--allow-c` was said.
//!
//! The program is made in a folder of its own among the temporary files, which is gone when the last machine is dropped.

use ferrospin_embed::AllowC;
use ferrospin_embed::outside::{Compiled, Compiler, Peer};
use std::io::{BufWriter, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Lines of a compiler's complaints that are told.
const COMPLAINTS_MAX: usize = 3;

/// `--allow-c`: what the machine of C refuses, `cc` compiles.
pub fn allowed() -> AllowC {
    AllowC::Refused(Arc::new(System))
}

/// All embedded C is compiled by `cc`.
pub fn always() -> AllowC {
    AllowC::Always(Arc::new(System))
}

/// `cc`, or what `CC` names.
#[derive(Debug)]
struct System;

fn name() -> String {
    std::env::var("CC").ok().filter(|c| !c.is_empty()).unwrap_or_else(|| "cc".into())
}

/// A folder that is removed behind us.
#[derive(Debug)]
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("ferrospin-c-{}-{number}", std::process::id()));
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        // A folder that is there already is not ours.
        builder.create(&path).map_err(|why| format!("{} cannot be made: {why}", path.display()))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Compiler for System {
    fn compile(&self, text: &str, folders: &[String], defines: &[String]) -> Result<Arc<dyn Compiled>, String> {
        let folder = Folder::new()?;
        let (source, program) = (folder.0.join("model.c"), folder.0.join("model"));
        std::fs::write(&source, text).map_err(|why| format!("{} cannot be written: {why}", source.display()))?;
        let compiler = name();
        // Variables keep their addresses from one start to the next, so that pointers in a state mean the same.
        let mut command = Command::new(&compiler);
        command.args(["-std=gnu11", "-w", "-O1", "-no-pie"]).args(defines);
        command.args(folders.iter().map(|f| format!("-I{f}"))).arg("-o").arg(&program).arg(&source);
        let output =
            command.stdin(Stdio::null()).output().map_err(|why| format!("`{compiler}` cannot be run: {why}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let place = format!("{}:", source.display());
            let lines: Vec<&str> = said.lines().filter(|l| l.contains("error")).take(COMPLAINTS_MAX).collect();
            let lines: Vec<String> = lines.iter().map(|l| l.replace(&place, "")).collect();
            return Err(format!("`{compiler}` says: {}", lines.join("; ")));
        }
        Ok(Arc::new(Made { folder: Arc::new(folder), program, compiler }))
    }
}

/// A program that was compiled.
#[derive(Debug)]
struct Made {
    folder: Arc<Folder>,
    program: PathBuf,
    compiler: String,
}

impl Compiled for Made {
    fn compiler(&self) -> String {
        self.compiler.clone()
    }

    fn start(&self) -> Result<Box<dyn Peer>, String> {
        let cannot = |why: std::io::Error| format!("the program of the embedded C cannot be started: {why}");
        let mut child = Command::new(&self.program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(cannot)?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(to), Some(from)) => {
                Ok(Box::new(Running { child, to: BufWriter::new(to), from, _folder: self.folder.clone() }))
            }
            _ => Err("the program of the embedded C has no pipes".into()),
        }
    }
}

/// A program that runs.
#[derive(Debug)]
struct Running {
    child: Child,
    to: BufWriter<ChildStdin>,
    from: ChildStdout,
    _folder: Arc<Folder>,
}

impl Running {
    fn exchange(&mut self, request: &[u8]) -> std::io::Result<Vec<u8>> {
        self.to.write_all(&(request.len() as u32).to_le_bytes())?;
        self.to.write_all(request)?;
        self.to.flush()?;
        let mut head = [0; 4];
        self.from.read_exact(&mut head)?;
        let mut answer = Vec::new();
        let wanted = u64::from(u32::from_le_bytes(head));
        // What is not there is not set aside.
        (&mut self.from).take(wanted).read_to_end(&mut answer)?;
        if answer.len() as u64 == wanted { Ok(answer) } else { Err(std::io::ErrorKind::UnexpectedEof.into()) }
    }

    /// How the program ended.
    fn ending(&mut self) -> String {
        // It may have closed its pipes only.
        let _ = self.child.kill();
        let status = self.child.wait();
        #[cfg(unix)]
        if let Ok(Some(signal)) = status.as_ref().map(std::os::unix::process::ExitStatusExt::signal) {
            return match signal {
                14 => "a fragment of embedded C has run for 5 seconds and was ended".into(),
                n => format!("a fragment of embedded C was ended by signal {n}"),
            };
        }
        match status.ok().and_then(|s| s.code()) {
            Some(code) => format!("a fragment of embedded C has ended its program with code {code}"),
            None => "a fragment of embedded C has ended its program".into(),
        }
    }
}

impl Peer for Running {
    fn ask(&mut self, request: &[u8]) -> Result<Vec<u8>, String> {
        self.exchange(request).map_err(|_| self.ending())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
