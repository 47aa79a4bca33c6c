namespace Broker.Server.Tests.Harness;

/// <summary>Starts servers on free ports.</summary>
internal static class Servers
{
    internal static Task<BrokerServer> StartAsync(Action<BrokerServerOptions>? configure = null)
        => BrokerServer.StartAsync(
            o =>
            {
                o.Listen(0);
                configure?.Invoke(o);
                // On a busy machine a handshake may take longer than the default timeout.
                if (o.Tls is { } tls && tls.Timeout == new ServerTlsOptions().Timeout)
                {
                    o.Tls = tls with { Timeout = Wait.Limit };
                }
            },
            TestContext.Current.CancellationToken);

    internal static Task UntilAsync(Func<bool> holds, string what) => Wait.UntilAsync(holds, what);
}
