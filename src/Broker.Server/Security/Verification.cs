namespace Broker.Server;

/// <summary>A verification of credentials that runs on a thread-pool thread.</summary>
internal abstract class Verification
{
    /// <summary>Whether the result is not needed any more. Thread-safe.</summary>
    internal abstract bool IsAbandoned { get; }

    /// <summary>Verifies and reports the result. Called on a thread-pool thread; does not throw.</summary>
    internal abstract void Run();
}
