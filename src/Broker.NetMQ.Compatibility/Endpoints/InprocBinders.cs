using System.Collections.Concurrent;

namespace NetMQ;

/// <summary>The bound inproc addresses. NetMQ refuses to connect to an address before it is bound.</summary>
internal static class InprocBinders
{
    private static readonly ConcurrentDictionary<string, object> Bound = new(StringComparer.Ordinal);

    internal static void Add(string address, object socket) => Bound[address] = socket;

    internal static void Remove(string address, object socket)
        => Bound.TryRemove(new KeyValuePair<string, object>(address, socket));

    internal static bool Contains(string address) => Bound.ContainsKey(address);

    /// <summary>The object that sends events from an address; null if messages come from there.</summary>
    internal static EventSender? FindSender(string address) => Bound.GetValueOrDefault(address) as EventSender;
}
