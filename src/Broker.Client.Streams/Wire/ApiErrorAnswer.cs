namespace Broker.Client.Streams;

/// <summary>The part of every answer that says whether it is an error.</summary>
internal sealed class ApiErrorAnswer
{
    public ApiError? Error { get; set; }
}
