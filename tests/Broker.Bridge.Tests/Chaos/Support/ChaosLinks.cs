using System.Net;
using Broker.Testing;

namespace Broker.Bridge.Tests.Chaos.Support;

/// <summary>Links to one address, each of which stalls or is cut when chaos says so.</summary>
internal sealed class ChaosLinks(Random random) : IAsyncDisposable
{
    private readonly List<FaultLink> _links = [];
    private readonly List<FaultLink> _uncut = [];

    /// <summary>A link that may be cut: what was on its way is lost there.</summary>
    public FaultLink Open(EndPoint target)
    {
        var link = FaultLink.Open(target);
        _links.Add(link);
        return link;
    }

    /// <summary>A link that only stalls: between a program and the bridge, where what is on its way is nobody's when it is cut.</summary>
    public string OpenUncut(string endpoint)
    {
        FaultLink link = Open(IPEndPoint.Parse(endpoint["tcp://".Length..]));
        _uncut.Add(link);
        return $"tcp://{link.Address}";
    }

    /// <summary>Nothing passes one of them for a while, in one direction or both.</summary>
    public async Task StallAsync()
    {
        FaultLink link = _links[random.Next(_links.Count)];
        LinkDirection? direction = random.Next(3) switch { 0 => LinkDirection.ToClient, 1 => LinkDirection.ToServer, _ => null };
        link.Stall(direction);
        await ChaosTime.PassAsync(random);
        link.Resume();
    }

    /// <summary>Cuts one of them, unless it is one that only stalls.</summary>
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
