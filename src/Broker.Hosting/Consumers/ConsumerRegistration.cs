using Broker.Client;
using Broker.Client.Streams;
using Microsoft.Extensions.DependencyInjection;

namespace Broker.Hosting;

/// <summary>A hosted consumer of a program.</summary>
/// <param name="Name">The name of its settings.</param>
/// <param name="HandleAsync">Handles one message.</param>
internal sealed record ConsumerRegistration(string Name, Func<IServiceProvider, StreamMessage, CancellationToken, ValueTask> HandleAsync)
{
    internal static ConsumerRegistration ForMethod<T>(string name, IMessageEncoder encoder, Func<T, StreamMessage, CancellationToken, ValueTask> handler)
        => new(name, (_, message, cancellationToken) => handler(Decode<T>(encoder, in message), message, cancellationToken));

    internal static ConsumerRegistration ForClass<T, THandler>(string name, IMessageEncoder encoder)
        where THandler : class, IStreamHandler<T>
        => new(name, async (services, message, cancellationToken) =>
        {
            T value = Decode<T>(encoder, in message);
            AsyncServiceScope scope = services.CreateAsyncScope();
            await using (scope.ConfigureAwait(false))
            {
                await scope.ServiceProvider.GetRequiredService<THandler>().HandleAsync(value, message, cancellationToken).ConfigureAwait(false);
            }
        });

    private static T Decode<T>(IMessageEncoder encoder, in StreamMessage message)
    {
        try
        {
            return encoder.Decode<T>(message.Body.Span);
        }
        catch (FormatException e)
        {
            throw new UnreadableMessageException(e);
        }
    }
}
