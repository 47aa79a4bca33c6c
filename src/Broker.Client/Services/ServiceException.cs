namespace Broker.Client;

/// <summary>
/// A service answered a request with an error. A handler of a service throws it to answer with this error.
/// </summary>
public sealed class ServiceException : ClientException
{
    /// <summary>Creates the error of an answer.</summary>
    /// <param name="code">The code, for programs. HTTP's codes are usual: 400, 404, 500. It must be positive.</param>
    /// <param name="description">The text, for people.</param>
    /// <param name="inner">The cause, which is not sent. Null for none.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="code"/> is not positive.</exception>
    public ServiceException(int code, string description, Exception? inner = null)
        : this(new ServiceError(code, description), default, inner)
        => ArgumentOutOfRangeException.ThrowIfNegativeOrZero(code);

    internal ServiceException(ServiceError error, ReadOnlyMemory<byte> body, Exception? inner = null)
        : base($"The service answered with the error {error.Code}: {error.Description}", inner)
    {
        Code = error.Code;
        Description = error.Description;
        Body = body;
    }

    /// <summary>The code. 0 if the service sent none.</summary>
    public int Code { get; }

    /// <summary>The text.</summary>
    public string Description { get; }

    /// <summary>The body of the reply.</summary>
    public ReadOnlyMemory<byte> Body { get; }
}
