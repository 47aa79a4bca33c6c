namespace Broker.Cli.Settings;

/// <summary>
/// The name that this program was started by. A link called <c>nats-server</c> serves scripts that look for that name in what
/// they start.
/// </summary>
internal static class ProgramName
{
    /// <summary>The usual one.</summary>
    public const string Default = "broker";

    /// <summary>What the system says of this process.</summary>
    public static string OfProcess()
    {
        string? started = OperatingSystem.IsLinux() ? FirstArgument() : Environment.ProcessPath;
        string name = Path.GetFileNameWithoutExtension(started ?? "");
        // A host that runs it as one of its files says nothing of the name.
        return name is "" or "dotnet" ? Default : name;
    }

    // The path of the process is that behind the link.
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
