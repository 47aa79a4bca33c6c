namespace Broker.Testing;

/// <summary>
/// An expectation of a test was not met. The text contains what was expected and what happened instead. Every test
/// framework shows the text as the reason of the failure.
/// </summary>
public sealed class ExpectationException : Exception
{
    /// <summary>Creates an exception without a text.</summary>
    public ExpectationException()
    {
    }

    /// <summary>Creates an exception with a text.</summary>
    public ExpectationException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an exception with a text and a cause.</summary>
    public ExpectationException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
