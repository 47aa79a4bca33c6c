namespace Broker.Interop.Tests.Harness;

/// <summary>
/// The broker or nats-server, with the same configuration file. A test must pass with both; if it only fails with one
/// of them, the broker or the test is wrong.
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

    /// <summary>
    /// Starts <c>broker</c> or <c>nats-server</c> on a port that remains reserved while the server is down.
    /// </summary>
    public static async Task<ConfiguredServer> StartAsync(string name, string configuration = "", params string[] flags)
    {
        DirectoryInfo directory = Directory.CreateTempSubdirectory("server-");
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

    /// <summary>Kills the process, so that it cannot close connections in order.</summary>
    public async Task KillAsync()
    {
        await Process.SignalAsync("KILL");
        await Process.WaitForExitAsync();
    }

    /// <summary>Starts the server again after a kill, on the same port.</summary>
    public async Task StartAgainAsync()
    {
        await _server.DisposeAsync();
        _server = await StartAsync(_name, _directory, _flags, Port);
    }

    /// <summary>Rewrites the file and asks the server to reload it. The reload takes a moment.</summary>
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
