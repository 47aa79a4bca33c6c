namespace Broker.ZeroMq.Tests.Threads;

public sealed class TurnTakingTests
{
    [Fact]
    public void A_request_that_is_taken_before_the_reply_to_the_one_before_has_returned_leaves_the_turn_to_send()
    {
        var turns = new TurnTaking(isReply: true, isRelaxed: false);
        turns.EndReceive(turns.BeginReceive());
        var first = turns.BeginSend();
        turns.EndReceive(turns.BeginReceive());
        turns.EndSend(first, wasSent: true);

        turns.EndSend(turns.BeginSend(), wasSent: true);
        turns.BeginReceive();
    }

    [Fact]
    public void A_send_that_ends_late_does_not_end_the_one_that_was_begun_after_it()
    {
        var turns = new TurnTaking(isReply: true, isRelaxed: false);
        turns.EndReceive(turns.BeginReceive());
        var first = turns.BeginSend();
        turns.EndReceive(turns.BeginReceive());
        var second = turns.BeginSend();
        turns.EndSend(first, wasSent: true);
        turns.EndSend(second, wasSent: false);

        Assert.Throws<InvalidOperationException>(() => turns.BeginReceive());
        turns.EndSend(turns.BeginSend(), wasSent: true);
    }

    [Fact]
    public void A_reply_that_is_taken_before_the_request_has_returned_leaves_the_turn_to_send()
    {
        var turns = new TurnTaking(isReply: false, isRelaxed: false);
        var request = turns.BeginSend();
        turns.EndReceive(turns.BeginReceive());
        turns.EndSend(request, wasSent: true);

        Assert.Throws<InvalidOperationException>(() => turns.BeginReceive());
        turns.BeginSend();
    }

    [Fact]
    public void A_relaxed_request_that_finds_no_room_leaves_the_one_before_waiting_for_its_reply()
    {
        var turns = new TurnTaking(isReply: false, isRelaxed: true);
        turns.EndSend(turns.BeginSend(), wasSent: true);
        turns.EndSend(turns.BeginSend(), wasSent: false);

        turns.EndReceive(turns.BeginReceive());
        Assert.Throws<InvalidOperationException>(() => turns.BeginReceive());
    }

    [Fact]
    public void A_reply_that_is_taken_while_another_request_is_sent_leaves_that_one_waiting_for_its_own()
    {
        var turns = new TurnTaking(isReply: false, isRelaxed: true);
        turns.EndSend(turns.BeginSend(), wasSent: true);
        long began = turns.BeginReceive();
        turns.EndSend(turns.BeginSend(), wasSent: true);
        turns.EndReceive(began);

        turns.EndReceive(turns.BeginReceive());
        turns.BeginSend();
    }
}
