using System.Diagnostics;
using System.Globalization;
using System.Text.Json;

namespace Broker.Client.Tests.Support;

/// <summary>A real nats-server on a port of its own choice. Tests that need it are skipped where it is missing, but not in CI.</summary>
internal sealed class NatsServer : IDisposable
{
    private const string Program = "/usr/sbin/nats-server";
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(15);

    private readonly string[] _arguments;
    private readonly string _directory = Directory.CreateTempSubdirectory("client-tests").FullName;
    private Process? _process;

    private NatsServer(string[] arguments) => _arguments = arguments;

    public int Port { get; private set; }

    public string Url => string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{Port}");

    public static NatsServer Start(params string[] arguments)
    {
        if (!File.Exists(Program))
        {
            if (Environment.GetEnvironmentVariable("CI") == "true")
            {
                Assert.Fail($"{Program} is missing.");
            }

            Assert.Skip($"{Program} is missing.");
        }

        var server = new NatsServer(arguments);
        server.Run(-1);
        return server;
    }

    public static NatsServer StartWithConfiguration(string configuration)
    {
        string file = Path.Combine(Directory.CreateTempSubdirectory("client-tests").FullName, "server.conf");
        File.WriteAllText(file, configuration);
        return Start("-c", file);
    }

    public void Kill()
    {
        if (_process is { } process)
        {
            process.Kill();
            process.WaitForExit();
            process.Dispose();
            _process = null;
        }
    }

    /// <summary>Starts it again at the same port.</summary>
    public void Restart()
    {
        Kill();
        Run(Port);
    }

    public void Signal(string name)
    {
        using Process kill = Process.Start("kill", [$"-{name}", _process!.Id.ToString(CultureInfo.InvariantCulture)]);
        kill.WaitForExit();
    }

    public void Dispose()
    {
        if (_process is not null)
        {
            // A stopped process would not be killed by every means.
            Signal("CONT");
        }

        Kill();
        Directory.Delete(_directory, recursive: true);
    }

    private void Run(int port)
    {
        var start = new ProcessStartInfo(Program) { RedirectStandardError = true, RedirectStandardOutput = true };
        foreach (string argument in (string[])["-a", "127.0.0.1", "-p", port.ToString(CultureInfo.InvariantCulture), "--ports_file_dir", _directory, .. _arguments])
        {
            start.ArgumentList.Add(argument);
        }

        _process = Process.Start(start)!;
        _process.ErrorDataReceived += (_, _) => { };
        _process.BeginErrorReadLine();
        _process.BeginOutputReadLine();
        string file = Path.Combine(_directory, $"nats-server_{_process.Id}.ports");
        var waited = Stopwatch.StartNew();
        while (!TryReadPort(file))
        {
            Assert.True(waited.Elapsed < StartLimit && !_process.HasExited, "nats-server did not start.");
            Thread.Sleep(10);
        }
    }

    private bool TryReadPort(string file)
    {
        try
        {
            using JsonDocument ports = JsonDocument.Parse(File.ReadAllText(file));
            Port = new Uri(ports.RootElement.GetProperty("nats")[0].GetString()!).Port;
            return true;
        }
        catch (Exception e) when (e is IOException or JsonException)
        {
            return false;
        }
    }
}
