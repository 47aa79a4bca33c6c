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

    internal static async Task<NatsServer> StartAsync(string? config = null)
    {
        string? program = (Environment.GetEnvironmentVariable("PATH") + ":/usr/sbin").Split(':')
            .Select(f => Path.Combine(f, "nats-server")).FirstOrDefault(File.Exists);
        if (program is null)
        {
            Assert.Skip("nats-server is not installed");
        }

        string folder = Directory.CreateTempSubdirectory("oracle").FullName;
        var start = new ProcessStartInfo(program)
        {
            ArgumentList = { "-a", "127.0.0.1", "-p", "-1", "-m", "-1", "--ports_file_dir", folder },
            RedirectStandardError = true,
        };
        string file = Path.Combine(folder, "nats.conf");
        if (config is not null)
        {
            await File.WriteAllTextAsync(file, config);
            start.ArgumentList.Add("-c");
            start.ArgumentList.Add(file);
        }

        Process process = Process.Start(start)!;
        process.BeginErrorReadLine();
        Uri nats = null!;
        Uri http = null!;
        await Wait.UntilAsync(
            async () =>
            {
                if (Directory.GetFiles(folder, "*.ports").FirstOrDefault() is not { } ports)
                {
                    return false;
                }

                try
                {
                    using JsonDocument addresses = JsonDocument.Parse(await File.ReadAllTextAsync(ports));
                    nats = new Uri(addresses.RootElement.GetProperty("nats")[0].GetString()!);
                    http = new Uri(addresses.RootElement.GetProperty("monitoring")[0].GetString()!);
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
            new HttpClient { BaseAddress = new UriBuilder(http) { Host = "127.0.0.1" }.Uri, Timeout = Wait.Long });
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
