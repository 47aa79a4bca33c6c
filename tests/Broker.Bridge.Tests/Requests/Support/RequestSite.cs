using System.Text;
using Broker.Client;
using Broker.Server;
using Broker.Transport;

namespace Broker.Bridge.Tests.Requests.Support;

/// <summary>
/// A NATS system with one bridge of any routes: an embedded server on the bridge's own loops, or a real nats-server
/// elsewhere.
/// </summary>
internal sealed class RequestSite : BridgeSite
{
    /// <summary>The subject of the routes, unless a test says otherwise.</summary>
    public const string Subject = "svc.echo";

    // On a machine with much else to do nothing is over before its test is.
    private static readonly TimeSpan WaitLimit = TimeSpan.FromHours(1);

    private bool _tracing;

    private RequestSite(EventLoopGroup? loops, BrokerServer? server, NatsServer? remote)
        : base(loops, server, remote)
    {
    }

    public static BridgeEndpoint AnyPort => new(true, "tcp://127.0.0.1:0");

    public static RequestRouteOptions Asking => new() { Endpoints = [AnyPort], Subject = Subject, TimeToLive = WaitLimit };

    public static WorkerRouteOptions Answering => new() { Endpoints = [AnyPort], Subject = Subject, TimeToLive = WaitLimit };

    public ZeroMqBridge Bridge => Bridges[0];

    public RequestRouteSnapshot Requests => (RequestRouteSnapshot)Bridge.Snapshot()["request"]!;

    public WorkerRouteSnapshot Workers => (WorkerRouteSnapshot)Bridge.Snapshot()["worker"]!;

    /// <param name="loops">How many event loops server and bridge share; 0 for a real nats-server as a remote.</param>
    /// <param name="routes">Of the bridge.</param>
    public static Task<RequestSite> StartAsync(int loops, params RouteOptions[] routes) => StartAsync(loops, tracing: false, routes);

    /// <param name="loops">How many event loops server and bridge share; 0 for a real nats-server as a remote.</param>
    /// <param name="tracing">Whether the bridge makes spans.</param>
    /// <param name="routes">Of the bridge.</param>
    public static async Task<RequestSite> StartAsync(int loops, bool tracing, params RouteOptions[] routes)
    {
        RequestSite site;
        if (loops == 0)
        {
            site = new RequestSite(null, null, NatsServer.StartAt(FreePort.Next()));
        }
        else
        {
            (EventLoopGroup group, BrokerServer server) = await EmbedAsync(loops);
            site = new RequestSite(group, server, null);
        }

        site._tracing = tracing;
        await site.BridgeAsync(routes);
        return site;
    }

    /// <summary>Another bridge at the same NATS system.</summary>
    public async Task<ZeroMqBridge> BridgeAsync(params RouteOptions[] routes)
        => Keep(await StartBridgeAsync(BridgeClient() with { Tracing = _tracing }, routes));

    public static string EndpointOf(ZeroMqBridge bridge, string route) => bridge.Snapshot()[route]!.Endpoints[0];

    public string Endpoint(string route) => EndpointOf(Bridge, route);

    public Task<BrokerConnection> ClientAsync()
        => ConnectAsync(new ClientOptions { Servers = [Url], ReconnectWait = TimeSpan.FromMilliseconds(20) });

    /// <summary>A native service, from now on, that answers with what it was asked, headers included.</summary>
    public async Task<Subscription> EchoAsync(string subject = Subject, string? queue = null)
    {
        BrokerConnection client = await ClientAsync();
        Subscription service = client.Subscribe(
            subject,
            static (in MessageView message) =>
            {
                if (!message.ReplyTo.IsEmpty)
                {
                    message.Respond(message.Body, message.Headers);
                }
            },
            queue);
        await client.FlushAsync(TestContext.Current.CancellationToken);
        return service;
    }

    /// <summary>Asks until somebody is there: a subscription of the bridge may still be on its way.</summary>
    public static async Task<Message> AskAsync(BrokerConnection client, string body, string subject = Subject)
    {
        while (true)
        {
            try
            {
                return await client.RequestAsync(subject, Encoding.UTF8.GetBytes(body), WaitLimit, cancellationToken: TestContext.Current.CancellationToken);
            }
            catch (NoRespondersException)
            {
                await Task.Delay(10, TestContext.Current.CancellationToken);
            }
        }
    }
}
