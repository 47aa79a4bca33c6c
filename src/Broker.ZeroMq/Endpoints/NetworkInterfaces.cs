using System.Net;
using System.Net.NetworkInformation;

namespace Broker.ZeroMq.Endpoints;

/// <summary>The interfaces of this machine by their names, such as <c>lo</c> and <c>eth0</c>.</summary>
internal static class NetworkInterfaces
{
    /// <summary>The addresses of an interface; none where there is no such interface.</summary>
    internal static IPAddress[] AddressesOf(string name)
    {
        var found = Array.Find(
            NetworkInterface.GetAllNetworkInterfaces(), candidate => string.Equals(candidate.Name, name, StringComparison.Ordinal));
        return found is null ? [] : [.. found.GetIPProperties().UnicastAddresses.Select(unicast => unicast.Address)];
    }
}
