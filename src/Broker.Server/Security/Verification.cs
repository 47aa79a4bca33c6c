namespace Broker.Server.Security;

/// <summary>Something to verify, and what to do with the outcome.</summary>
internal abstract class Verification
{
    /// <summary>Whether nobody waits for it any more. Any thread.</summary>
    internal abstract bool IsAbandoned { get; }

    /// <summary>Verifies and tells. On a thread-pool thread; throws nothing.</summary>
    internal abstract void Run();
}
