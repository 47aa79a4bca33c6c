using System.Diagnostics;
using System.Net;
using System.Text.Json;

namespace Broker.AspNetCore.Tests.Harness;

/// <summary>The real nats-server with monitoring, as the oracle.</summary>
internal sealed class NatsServer : IAsyncDisposable
{
    private readonly Process _process;
    private readonly string _folder;

    private NatsServer(Process process, string folder, IPEndPoint endPoint, HttpClient http)
    {
        _process = process;
        _folder = folder;
        EndPoint = endPoint;
        Http = http;
    }

    internal IPEndPoint EndPoint { get; }

    internal HttpClient Http { get; }

    /// <summary>Where WebSockets come in; 0 for nowhere.</summary>
    internal int WebSocketPort { get; private init; }

    internal static bool IsInstalled => Program is not null;

    private static string? Program => (Environment.GetEnvironmentVariable("PATH") + ":/usr/sbin").Split(':')
        .Select(f => Path.Combine(f, "nats-server")).FirstOrDefault(File.Exists);

    /// <summary>Without it the test is skipped, and fails in CI.</summary>
    internal static void Require()
    {
        if (!IsInstalled)
        {
            Assert.False(Environment.GetEnvironmentVariable("CI") == "true", "nats-server is missing, and CI must have it");
            Assert.Skip("nats-server is not installed");
        }
    }

    /// <param name="configuration">The text of its file, beside the flags for free ports.</param>
    internal static async Task<NatsServer> StartAsync(string configuration = "")
    {
        Require();
        string folder = Directory.CreateTempSubdirectory("oracle").FullName;
        string config = Path.Combine(folder, "nats.conf");
        await File.WriteAllTextAsync(config, configuration);
        var start = new ProcessStartInfo(Program!)
        {
            ArgumentList = { "-a", "127.0.0.1", "-p", "-1", "-m", "-1", "--ports_file_dir", folder, "-c", config },
            RedirectStandardError = true,
        };
        Process process = Process.Start(start)!;
        process.BeginErrorReadLine();
        Uri nats = null!;
        Uri http = null!;
        int webSocket = 0;
        await Wait.UntilAsync(
            async () =>
            {
                if (Directory.GetFiles(folder, "*.ports").FirstOrDefault() is not { } file)
                {
                    return false;
                }

                try
                {
                    using JsonDocument ports = JsonDocument.Parse(await File.ReadAllTextAsync(file));
                    nats = new Uri(ports.RootElement.GetProperty("nats")[0].GetString()!);
                    http = new Uri(ports.RootElement.GetProperty("monitoring")[0].GetString()!);
                    webSocket = ports.RootElement.TryGetProperty("websocket", out JsonElement urls) ? new Uri(urls[0].GetString()!).Port : 0;
                    return true;
                }
                catch (JsonException)
                {
                    return false;
                }
            },
            "nats-server does not start");
        return new NatsServer(
            process,
            folder,
            new IPEndPoint(IPAddress.Loopback, nats.Port),
            new HttpClient { BaseAddress = new UriBuilder(http) { Host = "127.0.0.1" }.Uri, Timeout = Wait.Long })
        {
            WebSocketPort = webSocket,
        };
    }

    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        _process.Kill();
        await _process.WaitForExitAsync(CancellationToken.None);
        _process.Dispose();
        Directory.Delete(_folder, recursive: true);
    }
}
