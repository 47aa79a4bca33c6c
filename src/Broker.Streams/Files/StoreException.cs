namespace Broker.Streams;

/// <summary>A store cannot be opened or used. The message names the reason and what is wanted.</summary>
public sealed class StoreException : Exception
{
    /// <summary>Creates an exception without a message.</summary>
    public StoreException()
    {
    }

    /// <summary>Creates an exception.</summary>
    /// <param name="message">The reason.</param>
    public StoreException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an exception.</summary>
    /// <param name="message">The reason.</param>
    /// <param name="innerException">The exception that was the reason; null for none.</param>
    public StoreException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}
