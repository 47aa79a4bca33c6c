using System.Reflection;
using System.Runtime.InteropServices;
using Broker.Server;

namespace Broker.LoadTest.Report;

/// <summary>The machine and the runtime in one line each.</summary>
internal static class MachineInfo
{
    public static string Machine => $"{Environment.ProcessorCount} cores, {CpuName()}, {RuntimeInformation.OSArchitecture}";

    public static string System => OperatingSystem.IsLinux() ? $"{Distribution()}, kernel {Environment.OSVersion.Version}" : RuntimeInformation.OSDescription;

    public static string Runtime => RuntimeInformation.FrameworkDescription;

    /// <summary>
    /// The version of the measured build. Its INFO contains the version of nats-server with the same protocol.
    /// </summary>
    public static string BrokerVersion
        => typeof(BrokerServer).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? "unknown version";

    private static string CpuName()
        => OperatingSystem.IsWindows()
            ? Environment.GetEnvironmentVariable("PROCESSOR_IDENTIFIER") ?? "unknown CPU"
            : ValueIn("/proc/cpuinfo", "model name", ':') ?? "unknown CPU";

    private static string Distribution() => ValueIn("/etc/os-release", "PRETTY_NAME", '=')?.Trim('"') ?? "Linux";

    private static string? ValueIn(string file, string key, char separator)
    {
        try
        {
            string? line = File.ReadLines(file).FirstOrDefault(candidate => candidate.StartsWith(key, StringComparison.Ordinal));
            return line?[(line.IndexOf(separator, StringComparison.Ordinal) + 1)..].Trim();
        }
        catch (IOException)
        {
            return null;
        }
    }
}
