using Broker.Benchmarks.NatsNet.Clients;
using Broker.Client;

namespace Broker.Benchmarks.NatsNet;

/// <summary>Plain messages: publish, receive and request.</summary>
/// <param name="ours">This client.</param>
/// <param name="theirs">NATS.Net.</param>
/// <param name="common">The connection that publishes and responds for both.</param>
internal sealed class PlainContests(IPlainClient ours, IPlainClient theirs, BrokerConnection common)
{
    private const int Together = 64;

    private readonly byte[] _body = new byte[PlainTraffic.BodySize];

    internal IEnumerable<Contest> All(int scale)
    {
        common.Subscribe(PlainTraffic.Echo, static (in MessageView message) => message.Respond(message.Body));
        yield return With("publish", 2000 * scale, static (client, count) => client.PublishAsync(count));
        yield return With("receive", 1000 * scale, (client, count) => client.ReceiveAsync(count, () => PublishCommon(count)));
        yield return With("receive, an await for each", 1000 * scale, (client, count) => client.ReadAsync(count, () => PublishCommon(count)));
        yield return With("request", 20 * scale, static (client, count) => client.RequestAsync(count, 1));
        yield return With($"request, {Together} at a time", 256 * scale, static (client, count) => client.RequestAsync(count, Together));
    }

    private Contest With(string name, int count, Func<IPlainClient, int, Task> work)
        => new(name, count, Contest.Nothing, n => work(ours, n), n => work(theirs, n));

    private void PublishCommon(int count)
    {
        for (int i = 0; i < count; i++)
        {
            common.Publish(PlainTraffic.Source, _body);
        }
    }
}
