using System.Net;
using System.Net.Sockets;
using System.Threading.RateLimiting;
using Microsoft.AspNetCore.Http;

namespace Broker.AspNetCore;

/// <summary>
/// Limits log-ins of one address, so that passwords cannot be guessed, and lets one password be verified at a time,
/// because a verification is slow by design.
/// </summary>
internal sealed class LoginLimiter : IDisposable
{
    /// <summary>The number of log-ins of one address in a minute.</summary>
    internal const int PerMinute = 5;

    private static readonly TimeSpan Window = TimeSpan.FromMinutes(1);

    private readonly PartitionedRateLimiter<IPAddress> _attempts = PartitionedRateLimiter.Create<IPAddress, IPAddress>(
        static address => RateLimitPartition.GetFixedWindowLimiter(
            address, static _ => new FixedWindowRateLimiterOptions { PermitLimit = PerMinute, Window = Window }));

    private readonly ConcurrencyLimiter _verifications = new(new ConcurrencyLimiterOptions { PermitLimit = 1, QueueLimit = 8 });

    /// <summary>Whether the client may try to log in now.</summary>
    internal bool TryBegin(HttpContext context)
    {
        using RateLimitLease lease = _attempts.AttemptAcquire(NetworkOf(context.Connection.RemoteIpAddress ?? IPAddress.None));
        return lease.IsAcquired;
    }

    /// <summary>Waits for the turn of this verification. Returns null if too many wait.</summary>
    internal async Task<IDisposable?> EnterAsync(CancellationToken cancellationToken)
    {
        RateLimitLease lease = await _verifications.AcquireAsync(1, cancellationToken).ConfigureAwait(false);
        if (lease.IsAcquired)
        {
            return lease;
        }

        lease.Dispose();
        return null;
    }

    public void Dispose()
    {
        _attempts.Dispose();
        _verifications.Dispose();
    }

    // A client chooses among the addresses of its IPv6 network, which has 64 bits.
    private static IPAddress NetworkOf(IPAddress address)
    {
        if (address.IsIPv4MappedToIPv6 || address.AddressFamily != AddressFamily.InterNetworkV6)
        {
            return address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address;
        }

        byte[] bytes = address.GetAddressBytes();
        bytes.AsSpan(8).Clear();
        return new IPAddress(bytes);
    }
}
