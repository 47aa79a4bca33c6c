namespace Broker.Server.Tests.Harness;

/// <summary>Servers on free ports, and waits for what they do.</summary>
internal static class Servers
{
    internal static Task<BrokerServer> StartAsync(Action<BrokerServerOptions>? configure = null)
        => BrokerServer.StartAsync(
            o =>
            {
                o.Listen(0);
                configure?.Invoke(o);
            },
            TestContext.Current.CancellationToken);

    /// <summary>Waits until something holds, for at most 20 s.</summary>
    internal static async Task UntilAsync(Func<bool> holds, string what)
    {
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        patience.CancelAfter(TimeSpan.FromSeconds(20));
        while (!holds())
        {
            Assert.False(patience.IsCancellationRequested, $"waited in vain for: {what}");
            await Task.Delay(5, CancellationToken.None);
        }
    }
}
