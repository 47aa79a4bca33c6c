using System.Globalization;

namespace Broker.LoadTest.Servers;

/// <summary>The servers that are measured without being named: ours, built with this program, and nats-server where it is installed.</summary>
internal static class KnownServers
{
    public const string Ours = "broker";
    public const string Nats = "nats-server";
    public const string Portable = "portable";

    /// <summary>The known servers with <paramref name="given"/> added, or in their place where the name is the same.</summary>
    /// <param name="given">Servers that the user names.</param>
    /// <param name="notes">Where what is missing is said.</param>
    /// <param name="portable">Whether ours is among them a second time, on the poller of Windows and macOS.</param>
    public static IReadOnlyList<ServerCommand> With(IReadOnlyList<ServerCommand> given, List<string> notes, bool portable = false)
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
                notes.Add($"{Nats} is missing (Debian's package {Nats}): there are no ratios to it.");
            }
        }

        return all;
    }

    /// <summary>Ours with another number of idle polls, which the command has no flag for: embedded, by this program.</summary>
    public static ServerCommand WithIdlePolls(int polls) =>
        Managed("Broker.LoadTest.dll", [HostCommand.Name, HostCommand.Port, ServerCommand.PortPlaceholder, HostCommand.IdlePolls, polls.ToString(CultureInfo.InvariantCulture)]);

    private static string[] Serve { get; } = ["serve", "-a", "127.0.0.1", "-p", ServerCommand.PortPlaceholder, "-q"];

    private static ServerCommand OurServer() => Managed("broker.dll", Serve);

    private static ServerCommand PortableServer()
        => new(Portable, Host, ["exec", "--runtimeconfig", At("broker-portable.runtimeconfig.json"), At("broker.dll"), .. Serve]);

    private static ServerCommand Managed(string file, string[] arguments) => new(Ours, Host, [At(file), .. arguments]);

    private static string Host => Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") is { Length: > 0 } path ? path : "dotnet";

    private static string At(string file) => Path.Combine(AppContext.BaseDirectory, file);

    /// <summary>Null when there is none: on the PATH, or where Debian puts it and a user's PATH does not look.</summary>
    private static ServerCommand? NatsServer()
    {
        string file = OperatingSystem.IsWindows() ? "nats-server.exe" : "nats-server";
        string[] folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries);
        string? found = folders.Append("/usr/sbin").Append("/usr/local/sbin").Select(folder => Path.Combine(folder, file)).FirstOrDefault(File.Exists);
        return found is null ? null : new ServerCommand(Nats, found, ["-a", "127.0.0.1", "-p", ServerCommand.PortPlaceholder]);
    }
}
