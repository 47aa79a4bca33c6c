using System.Net;
using Broker.Testing;

namespace Broker.Bridge.Tests.Chaos.Support;

/// <summary>Links to one address. At random moments, one of them stalls or is cut.</summary>
internal sealed class ChaosLinks(Random random) : IAsyncDisposable
{
    private readonly List<FaultLink> _links = [];
    private readonly List<FaultLink> _uncut = [];

    /// <summary>Creates a link that may be cut. Messages on their way are then lost.</summary>
    public FaultLink Open(EndPoint target)
    {
        var link = FaultLink.Open(target);
        _links.Add(link);
        return link;
    }

    /// <summary>
    /// Creates a link that only stalls. It is for a program and the bridge: nobody counts messages that are lost
    /// between them.
    /// </summary>
    public string OpenUncut(string endpoint)
    {
        FaultLink link = Open(IPEndPoint.Parse(endpoint["tcp://".Length..]));
        _uncut.Add(link);
        return $"tcp://{link.Address}";
    }

    /// <summary>Stops the traffic of one link for a while, in one direction or in both.</summary>
    public async Task StallAsync()
    {
        FaultLink link = _links[random.Next(_links.Count)];
        LinkDirection? direction = random.Next(3) switch { 0 => LinkDirection.ToClient, 1 => LinkDirection.ToServer, _ => null };
        link.Stall(direction);
        await ChaosTime.PassAsync(random);
        link.Resume();
    }

    /// <summary>Cuts one link, unless it is one that only stalls.</summary>
    public void Cut()
    {
        FaultLink link = _links[random.Next(_links.Count)];
        if (!_uncut.Contains(link))
        {
            link.Cut();
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (FaultLink link in _links)
        {
            await link.DisposeAsync();
        }
    }
}
