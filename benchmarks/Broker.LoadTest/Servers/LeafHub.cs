using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Broker.LoadTest.Driver;
using Broker.TestKit.Processes;

namespace Broker.LoadTest.Servers;

/// <summary>A nats-server with a port for leaf nodes, and the configuration file of a server that joins it.</summary>
internal sealed class LeafHub : IDisposable
{
    private static readonly TimeSpan WaitLimit = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(5);

    private readonly DirectoryInfo _folder;
    private readonly ServerProcess _server;
    private readonly HttpClient _http = new();

    private LeafHub(DirectoryInfo folder, ServerProcess server)
    {
        _folder = folder;
        _server = server;
    }

    public ServerAddress Address => _server.Address;

    /// <summary>The configuration file of the leaf node.</summary>
    public string LeafFile => Path.Combine(_folder.FullName, "leaf.conf");

    /// <summary>
    /// Starts the hub. Throws <see cref="DriverException"/> if it does not start. <paramref name="command"/> is a
    /// nats-server.
    /// </summary>
    public static LeafHub Start(ServerCommand command, DriverResources resources)
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("loadtest-leaf-");
        try
        {
            string port = PortSequence.Next().ToString(CultureInfo.InvariantCulture);
            string file = Path.Combine(folder.FullName, "hub.conf");

            // The hub must not close a reader of the driver that is slow for a moment.
            File.WriteAllText(file, $"server_name: hub\nmax_pending: 256MB\nleafnodes {{ host: 127.0.0.1, port: {port} }}\n");
            ServerCommand hub = command with { Name = command.Name + " (hub)", Arguments = [.. command.Arguments, "-c", file] };
            var started = new LeafHub(folder, ServerProcess.Start(hub.WithMonitoring(), resources));
            File.WriteAllText(started.LeafFile, $"server_name: leaf\nleafnodes {{ remotes: [ {{ url: \"nats-leaf://127.0.0.1:{port}\" }} ] }}\n");
            return started;
        }
        catch
        {
            folder.Delete(recursive: true);
            throw;
        }
    }

    /// <summary>Returns when a leaf node has joined. Throws if none joins.</summary>
    public void AwaitLeaf(string name) => Await(page => page.GetProperty("leafnodes").GetInt32() > 0, $"{name} has not joined the hub as a leaf node");

    /// <summary>The number of subjects that the leaf node has announced.</summary>
    public int ReadSubscriptions() => Read(Subscriptions);

    /// <summary>Returns when the number is at least <paramref name="count"/>.</summary>
    public void AwaitAtLeast(int count) => Await(page => Subscriptions(page) >= count, $"the leaf node has not announced {count} subscriptions");

    /// <summary>Returns when the number is at most <paramref name="count"/>.</summary>
    public void AwaitAtMost(int count) => Await(page => Subscriptions(page) <= count, $"the leaf node has more than {count} subscriptions");

    public void Dispose()
    {
        _http.Dispose();
        _server.Dispose();
        _folder.Delete(recursive: true);
    }

    private static int Subscriptions(JsonElement page) => page.GetProperty("leafs")[0].GetProperty("subscriptions").GetInt32();

    private void Await(Func<JsonElement, bool> condition, string failure)
    {
        long from = Stopwatch.GetTimestamp();
        while (!Read(condition))
        {
            if (Stopwatch.GetElapsedTime(from) > WaitLimit)
            {
                throw new DriverException($"After {WaitLimit.TotalSeconds:0} s {failure}.");
            }

            Thread.Sleep(Pause);
        }
    }

    private T Read<T>(Func<JsonElement, T> value)
    {
        try
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, new Uri($"http://127.0.0.1:{_server.MonitoringPort}/leafz"));
            using HttpResponseMessage response = _http.Send(request);
            using var page = JsonDocument.Parse(response.EnsureSuccessStatusCode().Content.ReadAsStream());
            return value(page.RootElement);
        }
        catch (Exception e) when (e is HttpRequestException or JsonException or KeyNotFoundException or IndexOutOfRangeException or InvalidOperationException)
        {
            throw new DriverException($"The hub does not report its leaf nodes: {e.Message}", e);
        }
    }
}
