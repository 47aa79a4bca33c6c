namespace Broker.Benchmarks.Running;

/// <summary>Which parameters a run takes. The full run measures in processes of their own, where nobody sets this: it is the default.</summary>
internal static class RunMode
{
    /// <summary>Whether they are fewer and smaller: the quick run.</summary>
    internal static bool IsQuick { get; set; }

    /// <summary>The parameters of this run.</summary>
    internal static IEnumerable<T> Choose<T>(T[] quick, T[] full) => IsQuick ? quick : full;
}
