namespace Broker.Benchmarks.Running;

/// <summary>
/// Selects the parameters of a run. The full run measures in separate processes, which never set the mode, so the full
/// run is the default.
/// </summary>
internal static class RunMode
{
    /// <summary>Whether this is the quick run, which uses fewer and smaller parameters.</summary>
    internal static bool IsQuick { get; set; }

    /// <summary>Returns the parameters of this run.</summary>
    internal static IEnumerable<T> Choose<T>(T[] quick, T[] full) => IsQuick ? quick : full;
}
