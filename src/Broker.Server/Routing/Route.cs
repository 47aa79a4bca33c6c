namespace Broker.Server.Routing;

/// <summary>Where messages of one subject go: what a walk of the trie found, kept until a subscription changes it.</summary>
/// <remarks>
/// Immutable but for <see cref="IsCurrent"/>, and shared by all publishers of the subject. A publisher holds on to it and
/// looks at that flag only, so that a SUB or UNSUB costs just those whose subject it concerns.
/// </remarks>
internal sealed class Route
{
    private volatile bool _current = true;

    internal Route(byte[] subject, Subscription[] plain, Subscription[][] queues)
    {
        Subject = subject;
        Plain = plain;
        Queues = queues;
        MessageHead = [.. "MSG "u8, .. subject, (byte)' '];
        HeaderMessageHead = [(byte)'H', .. MessageHead];
    }

    internal byte[] Subject { get; }

    /// <summary>Every one of these is sent the message.</summary>
    internal Subscription[] Plain { get; }

    /// <summary>One of each of these is.</summary>
    internal Subscription[][] Queues { get; }

    /// <summary><c>"MSG subject "</c>.</summary>
    internal byte[] MessageHead { get; }

    /// <summary><c>"HMSG subject "</c>.</summary>
    internal byte[] HeaderMessageHead { get; }

    internal bool IsEmpty => Plain.Length == 0 && Queues.Length == 0;

    /// <summary>False once a subscription has come or gone that matches the subject: the router must be asked again.</summary>
    internal bool IsCurrent => _current;

    internal void Expire() => _current = false;
}
