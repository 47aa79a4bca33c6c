namespace Broker.Cli.Settings;

/// <summary>
/// The name by which this program was started. A link with the name <c>nats-server</c> makes the program usable for
/// scripts that expect nats-server.
/// </summary>
internal static class ProgramName
{
    /// <summary>The name of the program if it was not started through a link.</summary>
    public const string Default = "broker";

    /// <summary>Returns the name by which this process was started.</summary>
    public static string OfProcess()
    {
        string? started = OperatingSystem.IsLinux() ? FirstArgument() : Environment.ProcessPath;
        string name = Path.GetFileNameWithoutExtension(started ?? "");
        // If dotnet runs the assembly, the process has dotnet's name.
        return name is "" or "dotnet" ? Default : name;
    }

    // Environment.ProcessPath is the target of the link, not the link.
    private static string? FirstArgument()
    {
        try
        {
            return File.ReadAllText("/proc/self/cmdline").Split('\0')[0];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return Environment.ProcessPath;
        }
    }
}
