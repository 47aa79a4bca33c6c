namespace Broker.Benchmarks.Running;

/// <summary>Which run this is. The full run measures in processes of their own, where nobody sets this: it is the default.</summary>
internal static class RunMode
{
    /// <summary>Whether this is the quick run, with fewer and smaller parameters.</summary>
    internal static bool IsQuick { get; set; }

    /// <summary>The parameters of this run.</summary>
    internal static IEnumerable<T> Choose<T>(T[] quick, T[] full) => IsQuick ? quick : full;
}
