using System.Text.Json;

namespace Broker.Streams;

/// <summary>The answers to the requests of accounts without streams.</summary>
internal static class Refusals
{
    /// <summary>
    /// Returns the answer to a request; empty for a request that is not known, or that asks for messages.
    /// </summary>
    /// <param name="operation">The subject after the prefix of the API.</param>
    internal static ReadOnlyMemory<byte> Of(string operation)
    {
        var request = new ApiRequest(operation, [], []);
        if (!IsKnown(request))
        {
            return default;
        }

        var answer = new ApiAnswer { Error = ApiErrors.NotEnabled };
        answer.SetKind(request.Token(1) is "DURABLE" ? "consumer_create_response" : ApiRequests.KindOf(request));
        return JsonSerializer.SerializeToUtf8Bytes(answer, WireJson.Default.ApiAnswer);
    }

    private static bool IsKnown(ApiRequest request) => (request.Token(0), request.Token(1), request.Tokens.Length) switch
    {
        ("INFO", _, 1) => true,
        ("STREAM", "NAMES" or "LIST", 2) => true,
        ("STREAM", "CREATE" or "UPDATE" or "DELETE" or "PURGE" or "INFO" or "SNAPSHOT" or "RESTORE", 3) => true,
        ("STREAM", "MSG", 4) => request.Token(2) is "GET" or "DELETE",
        ("CONSUMER", "NAMES" or "LIST", 3) => true,
        ("CONSUMER", "CREATE", >= 3) => true,
        ("CONSUMER", "DURABLE", 5) => request.Token(2) is "CREATE",
        ("CONSUMER", "INFO" or "DELETE" or "PAUSE", 4) => true,
        _ => false,
    };
}
