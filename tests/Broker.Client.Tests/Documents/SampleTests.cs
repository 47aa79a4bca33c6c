using System.Globalization;
using Broker.Client.Tests.Support;
using Messaging;

namespace Broker.Client.Tests.Documents;

/// <summary>Runs the samples and checks their output.</summary>
public sealed class SampleTests
{
    private static async Task<string[]> RunAsync(ServerKind kind, Func<string, TextWriter, Task> sample)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await Patient.WarmUpAsync(server.Url, TestContext.Current.CancellationToken);
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        await Wait.For(sample(server.Url, output));
        return output.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task The_sample_PublishAndSubscribe_prints_its_messages(ServerKind kind)
        => Assert.Equal(["weather.oslo: 4 degrees", "weather.bergen: rain window"], await RunAsync(kind, PublishAndSubscribe.RunAsync));

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task The_sample_RequestAndReply_prints_its_replies(ServerKind kind)
        => Assert.Equal(["QUIET", "one, other", "Nobody subscribes to 'nobody'."], await RunAsync(kind, RequestAndReply.RunAsync));

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task The_sample_EncodedOrders_prints_its_order(ServerKind kind) => Assert.Equal(["4 tea: 10.0"], await RunAsync(kind, EncodedOrders.RunAsync));

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task The_sample_BoundChannels_prints_its_sum(ServerKind kind) => Assert.Equal(["the sum is 5050"], await RunAsync(kind, BoundChannels.RunAsync));

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task The_sample_Calculator_prints_its_answers_and_counts(ServerKind kind)
        => Assert.Equal(
            ["144", "501:not implemented", "square: 1 requests, 0 errors", "divide: 1 requests, 1 errors"], await RunAsync(kind, Calculator.RunAsync));
}
