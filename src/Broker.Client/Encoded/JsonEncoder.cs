using System.Buffers;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Broker.Client;

/// <summary>
/// Encodes values as JSON with the source-generated code of a context, without reflection: <c>new
/// JsonEncoder(OrdersJson.Default)</c>.
/// </summary>
/// <param name="context">The context with the types that can be written and read.</param>
public sealed class JsonEncoder(JsonSerializerContext context) : IMessageEncoder
{
    private readonly JsonSerializerContext _context = context ?? throw new ArgumentNullException(nameof(context));

    /// <inheritdoc/>
    public void Encode<T>(T value, IBufferWriter<byte> body)
    {
        using var writer = new Utf8JsonWriter(body);
        JsonSerializer.Serialize(writer, value, InfoOf<T>());
    }

    /// <inheritdoc/>
    public T Decode<T>(ReadOnlySpan<byte> body)
    {
        try
        {
            return JsonSerializer.Deserialize(body, InfoOf<T>())!;
        }
        catch (JsonException e)
        {
            throw new FormatException($"The body is not valid JSON for {typeof(T).Name}: {e.Message}", e);
        }
    }

    private JsonTypeInfo<T> InfoOf<T>()
        => _context.GetTypeInfo(typeof(T)) as JsonTypeInfo<T>
            ?? throw new NotSupportedException($"{_context.GetType().Name} does not contain the type {typeof(T)}.");
}
