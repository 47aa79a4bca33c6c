using System.Collections;

namespace NetMQ;

/// <summary>The IPv4 addresses of this host's interfaces that are up, without those of loopback.</summary>
public class InterfaceCollection : IEnumerable<InterfaceItem>
{
    private readonly List<InterfaceItem> _items = BeaconInterfaces.Find();

    /// <summary>Asks the system for the interfaces.</summary>
    public InterfaceCollection()
    {
    }

    /// <inheritdoc/>
    public IEnumerator<InterfaceItem> GetEnumerator() => _items.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
