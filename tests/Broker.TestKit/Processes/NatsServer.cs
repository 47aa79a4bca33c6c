using System.Globalization;
using System.Net;

namespace Broker.TestKit.Processes;

/// <summary>
/// The real nats-server on free ports of this machine. If it is not installed, the test is skipped, and fails in CI.
/// </summary>
public sealed class NatsServer : INatsServer, IDisposable
{
    private const string Name = "nats-server";

    private readonly string _program;
    private readonly string[] _arguments;
    private readonly DirectoryInfo _directory;
    private HttpClient? _http;
    private PortsFile _ports = null!;

    private NatsServer(string? program, DirectoryInfo directory, string[] arguments, int port)
    {
        _program = program ?? Programs.Require(Name);
        _directory = directory;
        _arguments = arguments;
        Run(port);
    }

    public static bool IsInstalled => Programs.Find(Name) is not null;

    /// <summary>The running process. It is another one after a restart.</summary>
    public PeerProcess Process { get; private set; } = null!;

    /// <summary>The address that clients connect to.</summary>
    public string Url => string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{Port}");

    public int Port { get; private set; }

    public IPEndPoint EndPoint => new(IPAddress.Loopback, Port);

    /// <summary>The port of the monitoring pages, for a server that was started with <c>-m -1</c>.</summary>
    public HttpClient Http => _http ??= new HttpClient
    {
        BaseAddress = new UriBuilder(_ports.Monitoring[0]) { Host = "127.0.0.1" }.Uri,
        Timeout = TimeSpan.FromSeconds(30),
    };

    /// <summary>The port for WebSockets if the configuration enables them.</summary>
    public int WebSocketPort => new Uri(_ports.WebSocket[0]).Port;

    /// <summary>Skips or fails the test if nats-server is not installed.</summary>
    public static void Require() => Programs.Require(Name);

    /// <summary>Starts a server with additional arguments and returns when clients can connect.</summary>
    public static NatsServer Start(params string[] arguments) => StartAt(FreePort.Next(), arguments);

    /// <summary>Starts a server on the given port.</summary>
    public static NatsServer StartAt(int port, params string[] arguments) => Start(null, static _ => [], port, arguments);

    /// <summary>Starts a server with this text as its configuration file.</summary>
    public static NatsServer StartWithConfiguration(string configuration, params string[] arguments)
        => StartWithConfiguration(configuration, program: null, arguments);

    /// <summary>Starts a program in place of the installed server, with this text as its configuration file.</summary>
    public static NatsServer StartWithConfiguration(string configuration, string? program, string[] arguments)
        => Start(
            program,
            directory =>
            {
                string file = Path.Combine(directory, "nats.conf");
                File.WriteAllText(file, configuration);
                return ["-c", file];
            },
            FreePort.Next(),
            arguments);

    /// <summary>Kills the process.</summary>
    public void Kill() => Process.Dispose();

    /// <summary>
    /// Kills the process if it runs, and starts it again on the same port. No other test receives this port meanwhile.
    /// </summary>
    public void Restart()
    {
        Kill();
        Run(Port);
    }

    /// <summary>Kills the server and starts it again on the same port when the callback has completed.</summary>
    public async Task RestartAsync(Func<Task> meanwhile)
    {
        Kill();
        await meanwhile();
        Run(Port);
    }

    /// <summary>Sends a signal by its name, such as TERM or STOP.</summary>
    public void Signal(string name) => Process.Signal(name);

    public void Dispose()
    {
        _http?.Dispose();
        Kill();
        _directory.Delete(recursive: true);
    }

    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    private static NatsServer Start(string? program, Func<string, string[]> prepare, int port, string[] arguments)
    {
        if (program is null)
        {
            Require();
        }

        DirectoryInfo directory = Directory.CreateTempSubdirectory("nats-server-");
        try
        {
            return new NatsServer(program, directory, [.. prepare(directory.FullName), .. arguments], port);
        }
        catch
        {
            directory.Delete(recursive: true);
            throw;
        }
    }

    private void Run(int port)
    {
        string[] own = ["-a", "127.0.0.1", "-p", port.ToString(CultureInfo.InvariantCulture), "--ports_file_dir", _directory.FullName];
        Process = PeerProcess.Start(Name, _program, [.. own, .. _arguments]);
        try
        {
            _ports = PortsFile.Wait(_directory.FullName, Process);
            Port = new Uri(_ports.Nats[0]).Port;
        }
        catch
        {
            Process.Dispose();
            throw;
        }
    }
}
