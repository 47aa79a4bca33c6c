namespace Broker.Testing;

/// <summary>
/// What a test expected did not come. The text says what was expected and what there was instead; every test framework shows it as the
/// reason of the failure.
/// </summary>
public sealed class ExpectationException : Exception
{
    /// <summary>One without a text.</summary>
    public ExpectationException()
    {
    }

    /// <summary>One with a text.</summary>
    public ExpectationException(string message)
        : base(message)
    {
    }

    /// <summary>One that has a cause.</summary>
    public ExpectationException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
