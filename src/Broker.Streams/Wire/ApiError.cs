namespace Broker.Streams;

/// <summary>The reason why a request was refused, with the codes of nats-server.</summary>
/// <param name="Code">The code of the kind of error, as in HTTP.</param>
/// <param name="ErrCode">The code of the error.</param>
/// <param name="Description">The text.</param>
internal sealed record ApiError(int Code, int ErrCode, string Description);
