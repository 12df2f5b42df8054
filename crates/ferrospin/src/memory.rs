//! How much memory there is, and how much this process has taken: as the system says, not as we think.

use ferrospin_check::watch::Meter;
use std::fs;

/// Measures memory as the system tells it.
pub const METER: Meter =
    Meter { available: available_bytes, held: held_bytes, peak: peak_bytes, address_space: address_space_bytes };

/// The most memory this process ever held, in bytes; `None` where the system does not say.
pub fn peak_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    field_kib(&status, "VmHWM:")
}

/// The memory this process holds now, in bytes; `None` where the system does not say.
pub fn held_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    field_kib(&status, "VmRSS:")
}

/// Memory that can be had now, in bytes: what the system has available, or less where a control group says so.
pub fn available_bytes() -> Option<u64> {
    let system = fs::read_to_string("/proc/meminfo").ok().and_then(|text| field_kib(&text, "MemAvailable:"));
    let number = |path: &str| fs::read_to_string(path).ok().and_then(|text| text.trim().parse::<u64>().ok());
    let group = |limit: &str, used: &str| Some(number(limit)?.saturating_sub(number(used)?));
    let groups = [
        group("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        group("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ];
    system.into_iter().chain(groups.into_iter().flatten()).chain(address_space_bytes()).min()
}

/// Address space that is left to this process, where it is limited (`ulimit -v`).
pub fn address_space_bytes() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let status = fs::read_to_string("/proc/self/status").ok()?;
    Some(address_space_max(&limits)?.saturating_sub(field_kib(&status, "VmSize:")?))
}

/// The soft limit of the address space in bytes, if there is one.
fn address_space_max(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|l| l.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The number behind a name, which counts KiB.
fn field_kib(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|l| l.strip_prefix(name))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                      Max address space         614400000            unlimited            bytes\n";
        assert_eq!(address_space_max(limits), Some(614_400_000));
        assert_eq!(address_space_max(&limits.replace("614400000", "unlimited")), None);
    }

    #[test]
    fn fields_are_read() {
        assert_eq!(field_kib("VmPeak:\t  12 kB\nVmHWM:\t    5 kB\n", "VmHWM:"), Some(5 * 1024));
        assert_eq!(field_kib("nothing here", "VmHWM:"), None);
        assert_eq!(field_kib("VmHWM: many kB", "VmHWM:"), None);
    }
}
