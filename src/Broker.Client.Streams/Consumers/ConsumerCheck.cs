namespace Broker.Client.Streams;

/// <summary>Finds out whether a consumer still exists, and creates it again. Thread-safe.</summary>
internal sealed class ConsumerCheck(ConsumerManager consumers, ConsumerInfo consumer)
{
    /// <summary>
    /// Asks the server for the consumer. Returns null if the consumer exists, or if no server answers now: then the
    /// next request for messages shows more.
    /// </summary>
    internal async Task<StreamException?> FindLossAsync()
    {
        try
        {
            await consumers.GetAsync(consumer.Stream, consumer.Name, CancellationToken.None).ConfigureAwait(false);
            return null;
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.ConsumerNotFound)
        {
            return new ConsumerGoneException(consumer.Stream, consumer.Name, deleted: false, e);
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNotFound)
        {
            return e;
        }
        catch (Exception e) when (e is StreamException or TimeoutException or ClientException)
        {
            return null;
        }
    }

    /// <summary>Creates the consumer again.</summary>
    /// <param name="last">The sequence of the last message that it has delivered. 0 if it has delivered none.</param>
    /// <returns>Whether it is created. If not, the failure is null if a later attempt may succeed.</returns>
    internal async Task<(bool Created, Exception? Failure)> RecreateAsync(ulong last)
    {
        ConsumerConfig config = consumer.Config with { Name = consumer.Name, OtherFields = null, PauseUntil = null };
        if (last > 0)
        {
            config = config with { DeliverPolicy = DeliverPolicy.FromSequence, StartSequence = last + 1, StartTime = null };
        }

        try
        {
            await consumers.ChangeAsync(consumer.Stream, config, null, CancellationToken.None).ConfigureAwait(false);
            consumers.Api.Counters.Recreate();
            return (true, null);
        }
        catch (StreamException e) when (e is not StreamsUnavailableException)
        {
            return (false, e);
        }
        catch (Exception e) when (e is StreamException or TimeoutException or ClientException)
        {
            return (false, null);
        }
    }
}
