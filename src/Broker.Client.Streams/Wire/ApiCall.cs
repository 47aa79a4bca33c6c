namespace Broker.Client.Streams;

/// <summary>A request to the API, as its errors name it.</summary>
/// <param name="Operation">The subject after the prefix: <c>STREAM.INFO.ORDERS</c>.</param>
/// <param name="Stream">The name of the stream. Null if the request is not about one stream.</param>
/// <param name="Consumer">The name of the consumer. Null if the request is not about a consumer.</param>
internal readonly record struct ApiCall(string Operation, string? Stream = null, string? Consumer = null)
{
    internal StreamException CreateException(ApiError error) => new(Operation, error.Status, (StreamErrorCode)error.Code, error.Description, Stream, Consumer);

    internal StreamException CreateException(string description) => new(Operation, 0, StreamErrorCode.None, description, Stream, Consumer);
}
