using System.Globalization;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Client;

namespace Broker.Bridge.Tests.PubSub;

/// <summary>
/// How many messages of NATS clients a SUB loses or receives twice while another SUB changes the bridge's
/// subscriptions.
/// </summary>
public sealed class InterestRateTests
{
    private const int Usual = 200_000;
    private const int Portion = 500;

    // Run it for its output; docs/zeromq-mapping.md contains the results.
    [Theory(Explicit = true)]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Few_messages_are_lost_or_come_twice_while_interest_changes(int loops)
    {
        int messages = int.TryParse(Environment.GetEnvironmentVariable("BROKER_INTEREST_MESSAGES"), CultureInfo.InvariantCulture, out int asked) ? asked : Usual;
        await using Site site = await Site.StartAsync(loops);
        await using Subscriber stable = await site.SubscriberAsync("a.b.");
        await using Subscriber restless = new Subscriber().Connect(site.Route.SubscriberEndpoints[0]);
        BrokerConnection client = await site.ClientAsync();
        string subject = site.Subject("a.b.c");
        using var stop = new CancellationTokenSource();
        int changes = 0;
        var churn = Task.Run(
            async () =>
            {
                while (!stop.IsCancellationRequested)
                {
                    restless.Socket.Subscribe(""u8);
                    await Task.Delay(1, TestContext.Current.CancellationToken);
                    restless.Socket.Unsubscribe(""u8);
                    await Task.Delay(1, TestContext.Current.CancellationToken);
                    changes += 2;
                }
            },
            TestContext.Current.CancellationToken);
        for (int sent = 0; sent < messages; sent += Portion)
        {
            for (int i = sent; i < sent + Portion; i++)
            {
                client.Publish(subject, Shapes.Bytes(Shapes.Number(i)));
            }

            // Losses of a slow reader are not counted here.
            await client.FlushAsync(TestContext.Current.CancellationToken);
            await Task.Delay(1, TestContext.Current.CancellationToken);
        }

        await stop.CancelAsync();
        await churn;
        await site.ReadyAsync(stable, "a.b.");
        int lost = messages - stable.Received.Count;
        int doubled = stable.Received.Values.Count(times => times > 1);
        TestContext.Current.TestOutputHelper!.WriteLine(string.Create(
            CultureInfo.InvariantCulture, $"{(loops == 0 ? "nats-server" : $"broker, {loops} loops")}: {messages} messages, {changes} changes: {lost} lost, {doubled} twice"));
        Assert.InRange(lost + doubled, 0, messages / 100);
    }
}
