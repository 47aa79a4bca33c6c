using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.Client.Tests.Support;

/// <summary>
/// Connects like a program, but with a longer time limit for one attempt. With the default of two seconds, a test would
/// fail on a busy machine.
/// </summary>
internal static class Patient
{
    // This is less than the time limit of a wait, so that another attempt follows if the server dies during the first
    // one.
    private static readonly TimeSpan Attempt = TimeSpan.FromSeconds(45);

    private static readonly TimeSpan Default = new ClientOptions().ConnectTimeout;

    /// <summary>
    /// Connects once before a test whose program uses the default time limit. The code is then compiled and
    /// initialized, which does not count toward the two seconds of the program's first connect.
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
