using System.Globalization;

namespace Broker.LoadTest.Servers;

/// <summary>
/// The servers that are measured by default: this project's broker, built together with this program, and nats-server
/// if it is installed.
/// </summary>
internal static class KnownServers
{
    public const string Ours = "broker";
    public const string Nats = "nats-server";
    public const string Portable = "portable";
    public const string Watched = "watched";

    /// <summary>
    /// Returns the known servers and <paramref name="given"/>. A given server replaces a known one with the same name.
    /// </summary>
    /// <param name="given">The servers that the user has named.</param>
    /// <param name="notes">The list that receives notes about missing servers.</param>
    /// <param name="portable">Whether to add this broker a second time, with the poller of Windows and macOS.</param>
    /// <param name="pages">
    /// If not 0, this broker is added a second time, with so many open live pages and with sampled subjects.
    /// </param>
    public static IReadOnlyList<ServerCommand> With(
        IReadOnlyList<ServerCommand> given, List<string> notes, bool portable = false, int pages = 0)
    {
        if (given.GroupBy(command => command.Name, StringComparer.Ordinal).FirstOrDefault(group => group.Count() > 1) is { } twice)
        {
            throw new ArgumentException($"Two servers are named '{twice.Key}'.");
        }

        List<ServerCommand> all = [.. given];
        if (portable && !all.Exists(command => command.Name == Portable))
        {
            all.Insert(0, PortableServer());
        }

        if (pages > 0 && !all.Exists(command => command.Name == Watched))
        {
            all.Insert(0, OurServer().Watched(pages) with { Name = Watched });
        }

        if (!all.Exists(command => command.Name == Ours))
        {
            all.Insert(0, OurServer());
        }

        if (!all.Exists(command => command.Name == Nats))
        {
            if (NatsServer() is { } nats)
            {
                all.Insert(0, nats);
            }
            else
            {
                notes.Add($"{Nats} is not installed (Debian's package {Nats}), so there are no ratios.");
            }
        }

        // The leaf rows need the same hub for all servers.
        ServerCommand? hub = all.Find(command => command.Name == Nats);
        return all.ConvertAll(command => command with { Hub = hub });
    }

    /// <summary>
    /// This broker with another number of idle polls. The command has no flag for it, so this program embeds the
    /// broker.
    /// </summary>
    public static ServerCommand WithIdlePolls(int polls)
        => Managed("Broker.LoadTest.dll", [HostCommand.Name, HostCommand.Port, ServerCommand.PortPlaceholder, HostCommand.IdlePolls, polls.ToString(CultureInfo.InvariantCulture)]);

    /// <summary>
    /// This broker with streams in a directory, and with monitoring pages. It collects garbage often, so that its memory
    /// shows what it keeps.
    /// </summary>
    public static ServerCommand WithStreams(string directory)
    {
        // At the soak's rate, a generation 0 of the usual size is collected once in ten minutes, and resident memory
        // rises until then. The numbers are hexadecimal: 4 MiB.
        const string FourMebibytes = "400000";
        ServerCommand ours = OurServer().WithMonitoring();
        return ours with
        {
            Arguments = [.. ours.Arguments, "-js", "-sd", directory],
            Variables = new Dictionary<string, string>(StringComparer.Ordinal)
            {
                ["DOTNET_GCgen0size"] = FourMebibytes,
                ["DOTNET_GCgen0MaxBudget"] = FourMebibytes,
            },
        };
    }

    private static string[] Serve { get; } = ["serve", "-a", "127.0.0.1", "-p", ServerCommand.PortPlaceholder, "-q"];

    private static ServerCommand OurServer() => Managed("broker.dll", Serve);

    private static ServerCommand PortableServer()
        => new(Portable, Host, ["exec", "--runtimeconfig", At("broker-portable.runtimeconfig.json"), At("broker.dll"), .. Serve]);

    private static ServerCommand Managed(string file, string[] arguments) => new(Ours, Host, [At(file), .. arguments]);

    private static string Host => Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") is { Length: > 0 } path ? path : "dotnet";

    private static string At(string file) => Path.Combine(AppContext.BaseDirectory, file);

    /// <summary>
    /// Finds nats-server on the PATH or in the folder of Debian that is not on a user's PATH; null if there is none.
    /// </summary>
    private static ServerCommand? NatsServer()
    {
        string file = OperatingSystem.IsWindows() ? "nats-server.exe" : "nats-server";
        string[] folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries);
        string? found = folders.Append("/usr/sbin").Append("/usr/local/sbin").Select(folder => Path.Combine(folder, file)).FirstOrDefault(File.Exists);
        return found is null ? null : new ServerCommand(Nats, found, ["-a", "127.0.0.1", "-p", ServerCommand.PortPlaceholder]);
    }
}
