using Broker.Client;
using Broker.Server;
using Broker.Transport;

namespace Broker.Bridge.Tests;

/// <summary>
/// The owner of the event loops may end them at any time. Nothing in the bridge then waits for them forever.
/// </summary>
public sealed class LoopEndTests
{
    private static readonly BridgeEndpoint AnyPort = new(true, "tcp://127.0.0.1:0");

    public static TheoryData<string> Works => ["remove", "stop", "close", "add"];

    [Theory]
    [MemberData(nameof(Works))]
    public async Task What_a_bridge_does_while_its_loops_end_comes_to_an_end(string work)
    {
        for (int round = 0; round < 6; round++)
        {
            var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
            await using BrokerServer server = await BrokerServer.StartAsync(new BrokerServerOptions().Listen(0), TestContext.Current.CancellationToken);
            ZeroMqBridge bridge = await ZeroMqBridge.StartAsync(Options(server, loops), TestContext.Current.CancellationToken);

            // Ends the loops alternately before, during and after the operation.
            Task ending = round % 3 == 0 ? EndAsync() : Task.CompletedTask;
            await (round % 3 == 1 ? Task.CompletedTask : Wait.For(ending));
            Task begun = DoAsync(bridge, work);
            ending = round % 3 == 0 ? ending : EndAsync();

            await Wait.For(Task.WhenAll(begun, ending));
            await Wait.For(bridge.CloseAsync(TimeSpan.FromMilliseconds(10)));

            Task EndAsync() => Task.Run(loops.Dispose);
        }
    }

    private static async Task DoAsync(ZeroMqBridge bridge, string work)
    {
        switch (work)
        {
            case "remove":
                await Task.WhenAll(
                    bridge.RemoveRouteAsync("pubsub"), bridge.RemoveRouteAsync("request"), bridge.RemoveRouteAsync("worker"), bridge.RemoveRouteAsync("pushpull"));
                break;
            case "stop":
                await bridge.StopIngressAsync();
                break;
            case "close":
                await bridge.CloseAsync(TimeSpan.FromMilliseconds(10));
                break;
            default:
                try
                {
                    await bridge.AddRouteAsync(new WorkerRouteOptions { Name = "another", Subject = "b", Endpoints = [AnyPort] });
                }
                catch (Exception e) when (e is ObjectDisposedException or InvalidOperationException)
                {
                    // The loops ended before the operation.
                }

                break;
        }
    }

    private static ZeroMqBridgeOptions Options(BrokerServer server, EventLoopGroup loops) => new()
    {
        Client = new ClientOptions { Loops = loops, Dialer = server.CreateDialer() },
        Routes =
        [
            new PubSubRouteOptions { Publishers = [AnyPort], Subscribers = [AnyPort] },
            new RequestRouteOptions { Subject = "a", Endpoints = [AnyPort] },
            new WorkerRouteOptions { Subject = "a", Endpoints = [AnyPort] },
            new PushPullRouteOptions { Subject = "p", Pushers = [AnyPort], Pullers = [AnyPort] },
        ],
    };
}
