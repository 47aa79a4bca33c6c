using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Text.Json;

namespace Broker.Server.Tests.Oracle;

/// <summary>The real nats-server beside ours, both for as long as the tests of a class run.</summary>
public class OracleServer : IAsyncLifetime
{
    private DirectoryInfo? _directory;
    private Process? _process;
    private BrokerServer? _ours;

    /// <summary>The file that nats-server is to read; null for its defaults. <see cref="Configure"/> says the same to ours.</summary>
    private protected virtual string? Config => null;

    internal EndPoint Ours => _ours!.EndPoints[0];

    /// <summary>Null where nats-server is not installed.</summary>
    internal EndPoint? Theirs { get; private set; }

    public async ValueTask InitializeAsync()
    {
        _ours = await BrokerServer.StartAsync(o => Configure(o.Listen(0)), TestContext.Current.CancellationToken);
        if (FindProgram() is not { } program)
        {
            return;
        }

        _directory = Directory.CreateTempSubdirectory("nats-server-");
        string[] config = [];
        if (Config is { } text)
        {
            string file = Path.Combine(_directory.FullName, "nats.conf");
            await File.WriteAllTextAsync(file, text, CancellationToken.None);
            config = ["-c", file];
        }

        var start = new ProcessStartInfo(program, ["-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", _directory.FullName, .. config])
        {
            RedirectStandardError = true,
        };
        _process = Process.Start(start)!;
        // Its log, which would fill the pipe.
        _process.ErrorDataReceived += static (_, _) => { };
        _process.BeginErrorReadLine();
        string ports = Path.Combine(_directory.FullName, $"{Path.GetFileName(program)}_{_process.Id}.ports");
        for (int tries = 0; Theirs is null; tries++)
        {
            Assert.True(tries < 400, "nats-server wrote no ports file");
            await Task.Delay(50, CancellationToken.None);
            Theirs = File.Exists(ports) ? ReadPorts(await File.ReadAllTextAsync(ports, CancellationToken.None)) : null;
        }
    }

    /// <summary>The peer's address; without it the test is skipped by name, and fails in CI.</summary>
    internal EndPoint RequireTheirs()
    {
        if (Theirs is { } there)
        {
            return there;
        }

        if (string.Equals(Environment.GetEnvironmentVariable("CI"), "true", StringComparison.OrdinalIgnoreCase))
        {
            Assert.Fail("nats-server is missing, and CI must have it");
        }

        Assert.Skip("nats-server is missing (eng/test.sh installs it on Debian)");
        return IPEndPoint.Parse("0.0.0.0:0");
    }

    private protected virtual void Configure(BrokerServerOptions options)
    {
    }

    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        if (_process is not null)
        {
            _process.Kill();
            await _process.WaitForExitAsync(CancellationToken.None);
            _process.Dispose();
        }

        _directory?.Delete(recursive: true);
        if (_ours is not null)
        {
            await _ours.DisposeAsync();
        }
    }

    // A file that is only half written is looked at again.
    private static IPEndPoint? ReadPorts(string json)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(json);
            var url = new Uri(document.RootElement.GetProperty("nats")[0].GetString()!);
            return IPEndPoint.Parse(string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{url.Port}"));
        }
        catch (JsonException)
        {
            return null;
        }
    }

    // Debian keeps servers in sbin, which is not on every user's path.
    private static string? FindProgram()
        => (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator).Append("/usr/sbin")
            .Where(folder => folder.Length > 0)
            .Select(folder => Path.Combine(folder, OperatingSystem.IsWindows() ? "nats-server.exe" : "nats-server"))
            .FirstOrDefault(File.Exists);
}
