using System.Text;
using Broker.Bridge.Tests.Pipelines.Support;
using Broker.Bridge.Tests.Requests.Support;
using Broker.Client;

namespace Broker.Bridge.Tests;

/// <summary>The log of a bridge with several routes.</summary>
public sealed class RouteLogTests
{
    [Fact]
    public async Task Each_line_about_a_route_names_it()
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: false);
        ZeroMqBridge bridge = await pipeline.BridgeAsync(null, Router("one"));
        await bridge.AddRouteAsync(Router("two"), TestContext.Current.CancellationToken);
        BrokerConnection client = await pipeline.ClientAsync();

        // Only the first message of each kind is logged.
        await Wait.UntilAsync(() => pipeline.Log.Warnings.Count() == 2, () => string.Join('\n', pipeline.Log.All), Publish);

        Assert.Equal(
            [
                "Route one: a message was not bridged: it comes from a subject without a valid Zmq-Identity header, "
                + "so it has no receiver. Further messages of this kind are only counted",
                "Route two: messages for ZeroMQ programs are dropped: no connected peer has their identity. "
                + "Further ones are only counted",
            ],
            pipeline.Log.Warnings.Order(StringComparer.Ordinal));
        Assert.Contains(pipeline.Log.All, static line => line.Text.StartsWith("Route one: listening for ZeroMQ peers on ", StringComparison.Ordinal));
        Assert.Contains(pipeline.Log.All, static line => line.Text.StartsWith("Route two: listening for ZeroMQ peers on ", StringComparison.Ordinal));

        void Publish()
        {
            client.Publish("one.back", "for whom?"u8);
            client.Publish("two.back", "for nobody"u8, headers: Encoding.ASCII.GetBytes("NATS/1.0\r\nZmq-Identity: 6e6f\r\n\r\n"));
        }
    }

    private static RawRouteOptions Router(string name) => new()
    {
        Name = name,
        Socket = RawSocket.Router,
        ToSubject = $"{name}.there",
        FromSubject = $"{name}.back",
        Endpoints = [RequestSite.AnyPort],
    };
}
