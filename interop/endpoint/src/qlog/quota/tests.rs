use super::*;

/// A directory with these traces, each of 30 bytes, the first one the oldest.
fn directory(names: &[&str]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (age, name) in (0..).zip(names.iter().rev()) {
        let mut file = File::create_new(directory.path().join(name)).unwrap();
        file.write_all(&[0; 30]).unwrap();
        let modified = SystemTime::now() - Duration::from_secs(age);
        file.set_modified(modified).unwrap();
    }
    directory
}

fn begin(directory: &Path, name: &str, quota: &Arc<Quota>) -> Limited {
    let path = directory.join(name);
    let file = File::create_new(&path).unwrap();
    Limited::new(&path, file, quota.clone())
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<_> = entries
        .map(|entry| name(entry).into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn the_oldest_finished_traces_make_room() {
    let directory = directory(&["b.sqlog", "a.sqlog", "c.sqlog", "other.txt"]);
    let path = directory.path();
    let quota = Arc::new(Quota::new(path, 100).unwrap());
    let mut first = begin(path, "first.sqlog", &quota);
    first.write_all(&[1; 20]).unwrap();
    assert_eq!(
        names(path),
        ["a.sqlog", "c.sqlog", "first.sqlog", "other.txt"]
    );
    drop(first);
    let mut second = begin(path, "second.sqlog", &quota);
    second.write_all(&[1; 60]).unwrap();
    assert_eq!(names(path), ["first.sqlog", "other.txt", "second.sqlog"]);
    second.write_all(&[1; 40]).unwrap();
    assert_eq!(names(path), ["other.txt", "second.sqlog"]);
}

#[test]
fn a_trace_that_is_being_written_is_never_deleted_and_ends_where_the_quota_does() {
    let directory = directory(&[]);
    let path = directory.path();
    let quota = Arc::new(Quota::new(path, 100).unwrap());
    let mut oldest = begin(path, "oldest.sqlog", &quota);
    oldest.write_all(&[1; 60]).unwrap();
    let mut next = begin(path, "next.sqlog", &quota);
    for _ in 0..3 {
        assert_eq!(next.write(&[1; 30]).unwrap(), 30);
    }
    assert_eq!(path.join("next.sqlog").metadata().unwrap().len(), 30);
    oldest.write_all(&[1; 10]).unwrap();
    assert!(
        !quota.has_room(Instant::now()),
        "all of it is being written"
    );
    drop(next);
    assert!(quota.has_room(Instant::now()));
    oldest.write_all(&[1; 10]).unwrap();
    assert_eq!(names(path), ["oldest.sqlog"]);
}

#[test]
fn a_trace_of_another_process_and_one_that_is_gone_do_no_harm() {
    let directory = directory(&["gone.sqlog", "theirs.sqlog", "old.sqlog"]);
    let path = directory.path();
    let theirs = File::open(path.join("theirs.sqlog")).unwrap();
    flock(&theirs, FlockOperation::LockExclusive).unwrap();
    let quota = Arc::new(Quota::new(path, 100).unwrap());
    fs::remove_file(path.join("gone.sqlog")).unwrap();
    let mut trace = begin(path, "new.sqlog", &quota);
    trace.write_all(&[1; 60]).unwrap();
    assert_eq!(names(path), ["new.sqlog", "theirs.sqlog"]);
}
