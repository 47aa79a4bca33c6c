namespace Broker.Interop.Tests.Harness;

/// <summary>
/// Our broker or nats-server, with the same configuration file. What both do is what the test says; what only our broker
/// does is a fault of one of the two.
/// </summary>
internal sealed class ConfiguredServer : IAsyncDisposable
{
    private readonly string _name;
    private readonly DirectoryInfo _directory;
    private readonly string[] _flags;
    private INatsServer _server;

    private ConfiguredServer(string name, DirectoryInfo directory, string[] flags, INatsServer server)
    {
        _name = name;
        _directory = directory;
        _flags = flags;
        _server = server;
        Port = new Uri(server.Url).Port;
    }

    public int Port { get; }

    public string Url => $"nats://127.0.0.1:{Port}";

    public PeerProcess Process => _server.Process;

    /// <summary>Starts <c>broker</c> or <c>nats-server</c> on a port that nobody else is given while it is away.</summary>
    public static async Task<ConfiguredServer> StartAsync(string name, string configuration = "", params string[] flags)
    {
        var directory = Directory.CreateTempSubdirectory("server-");
        try
        {
            await File.WriteAllTextAsync(FileIn(directory), configuration, TestContext.Current.CancellationToken);
            return new ConfiguredServer(name, directory, flags, await StartAsync(name, directory, flags, FreePort.Next()));
        }
        catch
        {
            directory.Delete(recursive: true);
            throw;
        }
    }

    /// <summary>Kills the process without a chance to say goodbye.</summary>
    public async Task KillAsync()
    {
        await Process.SignalAsync("KILL");
        await Process.WaitForExitAsync();
    }

    /// <summary>Starts it again after a kill, on the same port.</summary>
    public async Task StartAgainAsync()
    {
        await _server.DisposeAsync();
        _server = await StartAsync(_name, _directory, _flags, Port);
    }

    /// <summary>Writes the file anew and asks the server to read it, which takes a moment.</summary>
    public async Task ReloadAsync(string configuration)
    {
        await File.WriteAllTextAsync(FileIn(_directory), configuration, TestContext.Current.CancellationToken);
        await Process.SignalAsync("HUP");
    }

    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        _directory.Delete(recursive: true);
    }

    private static string FileIn(DirectoryInfo directory) => Path.Combine(directory.FullName, "server.conf");

    private static async Task<INatsServer> StartAsync(string name, DirectoryInfo directory, string[] flags, int port) => name switch
    {
        "broker" => await BrokerProcess.StartAsync(port, ["-c", FileIn(directory), .. flags]),
        "nats-server" => NatsServer.StartAt(port, ["-c", FileIn(directory), .. flags]),
        _ => throw new ArgumentOutOfRangeException(nameof(name), name, "no such server"),
    };
}
