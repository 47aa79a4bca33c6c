using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.Client.Tests.Support;

/// <summary>
/// Connects as a program does, but for the time that one attempt may take: with the two seconds of the default a test would fail on a
/// machine that has too much else to do.
/// </summary>
internal static class Patient
{
    // Less than the guard of a wait, so that an attempt that meets a server as it dies is followed by another.
    private static readonly TimeSpan Attempt = TimeSpan.FromSeconds(45);

    private static readonly TimeSpan Default = new ClientOptions().ConnectTimeout;

    /// <summary>
    /// Connects once, for programs that do it with the default: what has to be compiled and started for a first connect takes none of their two
    /// seconds then.
    /// </summary>
    public static async Task WarmUpAsync(string url, CancellationToken cancellationToken)
    {
        await using BrokerConnection first = await ConnectAsync(url, cancellationToken);
        await first.PingAsync(cancellationToken);
    }

    public static Task<BrokerConnection> ConnectAsync(string servers, CancellationToken cancellationToken = default)
        => ConnectAsync(new ClientOptions { Servers = servers.Split(',') }, cancellationToken);

    public static Task<BrokerConnection> ConnectAsync(IDialer dialer, CancellationToken cancellationToken = default)
        => ConnectAsync(new ClientOptions { Dialer = dialer }, cancellationToken);

    [OverloadResolutionPriority(1)]
    public static Task<BrokerConnection> ConnectAsync(ClientOptions options, CancellationToken cancellationToken = default)
        => BrokerConnection.ConnectAsync(options.ConnectTimeout == Default ? options with { ConnectTimeout = Attempt } : options, cancellationToken);
}
