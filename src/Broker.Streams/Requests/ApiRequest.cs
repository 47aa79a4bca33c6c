namespace Broker.Streams;

/// <summary>A request to the API.</summary>
/// <param name="Operation">The subject after the prefix of the API, for example <c>STREAM.INFO.ORDERS</c>.</param>
/// <param name="Reply">The reply subject.</param>
/// <param name="Body">The body.</param>
internal sealed record ApiRequest(string Operation, byte[] Reply, byte[] Body)
{
    private string[]? _tokens;

    /// <summary>The tokens of the operation.</summary>
    internal string[] Tokens => _tokens ??= Operation.Split('.');

    /// <summary>Whether the body is empty, or an object without fields.</summary>
    internal bool IsEmpty
    {
        get
        {
            ReadOnlySpan<byte> body = Body.AsSpan().Trim(" \t\r\n"u8);
            return body.IsEmpty || (body is [(byte)'{', .. var inside, (byte)'}'] && inside.Trim(" \t\r\n"u8).IsEmpty);
        }
    }

    /// <summary>Returns a token, or an empty text if there are fewer.</summary>
    internal string Token(int index) => index < Tokens.Length ? Tokens[index] : "";
}
