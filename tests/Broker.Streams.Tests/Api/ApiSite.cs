using System.Net;
using System.Text;
using System.Text.Json;
using Broker.Client;
using Broker.Server;

namespace Broker.Streams.Tests.Api;

/// <summary>A server with streams on a disk that the test gives, and a client.</summary>
internal sealed class ApiSite : IAsyncDisposable
{
    private readonly BrokerServer _server;

    private ApiSite(BrokerServer server, AccountStreams streams, BrokerConnection connection)
    {
        _server = server;
        Streams = streams;
        Connection = connection;
    }

    public AccountStreams Streams { get; }

    public BrokerConnection Connection { get; }

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public static async Task<ApiSite> StartAsync(IStoreFiles? files = null, StoreOptions? store = null, string? domain = null, Action<Exception>? onFault = null)
    {
        BrokerServer server = await BrokerServer.StartAsync(options => options.Listen(new IPEndPoint(IPAddress.Loopback, 0)), Ended);
        var options = new AccountStreamsOptions
        {
            Directory = "",
            Store = store ?? new StoreOptions { SegmentBytes = 1024 * 1024, MaxPendingBytes = 256 * 1024 },
            Domain = domain,
            OnFault = onFault ?? (static _ => { }),
        };
        AccountStreams streams = await AccountStreams.StartAsync(server, options, files ?? new MemoryFiles());
        BrokerConnection connection = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [$"nats://{server.EndPoints[0]}"], ConnectTimeout = Wait.Limit }, Ended);
        return new ApiSite(server, streams, connection);
    }

    /// <summary>Sends a request to the API and returns its answer.</summary>
    public async Task<JsonElement> CallAsync(string operation, string body = "", string prefix = "$JS.API.")
    {
        using var answer = JsonDocument.Parse((await RequestAsync(prefix + operation, body)).Body);
        return answer.RootElement.Clone();
    }

    public async Task<Message> RequestAsync(string subject, string body = "", string headers = "")
        => await Connection.RequestAsync(subject, Encoding.UTF8.GetBytes(body), Wait.Limit, Encoding.UTF8.GetBytes(HeadersOf(headers)), Ended);

    /// <summary>Creates a stream from a configuration without its name.</summary>
    public async Task CreateAsync(string name, string config = "")
    {
        JsonElement answer = await CallAsync($"STREAM.CREATE.{name}", $$"""{"name":"{{name}}"{{(config.Length == 0 ? "" : ",")}}{{config}}}""");
        Assert.False(answer.TryGetProperty("error", out JsonElement error), error.ToString());
    }

    /// <summary>
    /// Publishes a message and returns its sequence, or the code of the refusal as a negative number.
    /// </summary>
    /// <param name="subject">The subject.</param>
    /// <param name="body">The body.</param>
    /// <param name="headers">The headers, separated by semicolons.</param>
    public async Task<long> PublishAsync(string subject, string body = "", string headers = "")
    {
        using var answer = JsonDocument.Parse((await RequestAsync(subject, body, headers)).Body);
        return answer.RootElement.TryGetProperty("error", out JsonElement error)
            ? -error.GetProperty("err_code").GetInt64()
            : answer.RootElement.GetProperty("seq").GetInt64();
    }

    public async Task<JsonElement> StateAsync(string name) => (await CallAsync($"STREAM.INFO.{name}")).GetProperty("state");

    public async ValueTask DisposeAsync()
    {
        await Connection.DisposeAsync();
        await Streams.DisposeAsync();
        await _server.DisposeAsync();
    }

    public static string HeadersOf(string headers)
        => headers.Length == 0 ? "" : $"NATS/1.0\r\n{headers.Replace(";", "\r\n", StringComparison.Ordinal)}\r\n\r\n";

    public static int CodeOf(JsonElement answer)
        => answer.TryGetProperty("error", out JsonElement error) ? error.GetProperty("err_code").GetInt32() : 0;
}
